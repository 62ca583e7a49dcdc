// The format of torch.save before PyTorch 1.6: five pickles (magic number, protocol, machine, the
// object, keys of its storages), then each storage: number of items (8 bytes), items.
#include <cstring>
#include <map>

#include "lib/io/format_error.h"
#include "lib/io/pickle_reader.h"
#include "lib/io/printable_text.h"
#include "lib/io/torch_checkpoint.h"

namespace grasppanda::io {

namespace {

constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t kProtocol = 1001;

class LegacyStorages : public StorageSource {
 public:
  explicit LegacyStorages(std::unordered_map<std::string, SharedBytes> bytes)
      : bytes_(std::move(bytes)) {}
  SharedBytes read(const std::string& key) override {
    const auto found = bytes_.find(key);
    return found == bytes_.end() ? SharedBytes() : found->second;
  }

 private:
  std::unordered_map<std::string, SharedBytes> bytes_;
};

// Finds where each storage lies. All of them must be there, also those nobody asks for: a file that
// ends early was cut off.
std::unordered_map<std::string, SharedBytes> find_storages(const SharedBytes& file, std::size_t at,
                                                           const PickleGraph& graph,
                                                           const PickleValue& keys,
                                                           const std::string& name) {
  std::unordered_map<std::string_view, const PickleStorage*> known;
  for (const PickleValue& value : graph.values) {
    if (const PickleStorage* storage = value.storage()) known.emplace(storage->key, storage);
  }
  std::unordered_map<std::string, SharedBytes> found;
  for (const PickleValue* key_value : keys.items()) {
    const std::string key = key_value->integer() ? std::to_string(*key_value->integer())
                                                 : std::string(key_value->raw());
    const auto storage = known.find(key);
    if (storage == known.end()) {
      throw FormatError(name + ": damaged: it stores " + in_quotes(key) + ", which no tensor uses");
    }
    const PickleStorage& wanted = *storage->second;
    if (wanted.item_bytes == 0) {
      throw FormatError(name + ": holds a storage of type " + printable(wanted.type) +
                        ", which is not read");
    }
    std::int64_t numel = 0, size = 0;
    const std::size_t left = file.size - at;
    if (left >= sizeof(numel)) {
      std::memcpy(&numel, file.data.get() + at, sizeof(numel));
      at += sizeof(numel);
      if (numel != wanted.stored_numel || __builtin_mul_overflow(numel, wanted.item_bytes, &size)) {
        throw FormatError(name + ": damaged: storage " + in_quotes(key) + " should have " +
                          std::to_string(wanted.stored_numel) + " items, not " +
                          std::to_string(numel));
      }
    }
    if (left < sizeof(numel) || static_cast<std::uint64_t>(size) > file.size - at) {
      throw FormatError(name + ": cut off: storage " + in_quotes(key) + " (" +
                        std::to_string(found.size() + 1) + " of " +
                        std::to_string(keys.items().size()) +
                        ") is not all there; fetch the file again");
    }
    found.emplace(key, file.part(at, static_cast<std::size_t>(size)));
    at += static_cast<std::size_t>(size);
  }
  return found;
}

}  // namespace

std::shared_ptr<const TorchCheckpoint> read_torch_legacy(const SharedBytes& file,
                                                         const std::string& name) {
  std::size_t at = 0;
  const auto next = [&] {
    std::size_t used = 0;
    auto graph = read_pickle(file.span().subspan(at), name, &used);
    at += used;
    return graph;
  };
  const auto magic = next();
  if (magic->root->kind != PickleKind::big_integer || magic->root->raw() != kMagic) {
    throw FormatError(name + ": is a pickle of " + describe(*magic->root) +
                      ", but no PyTorch checkpoint (its magic number is missing)");
  }
  const auto protocol = next();
  if (protocol->root->integer() != kProtocol) {
    throw FormatError(name + ": is a PyTorch checkpoint of the unknown version " +
                      describe(*protocol->root));
  }
  const auto machine = next();
  const PickleValue* little_endian = machine->root->find("little_endian");
  if (little_endian != nullptr && little_endian->integer() == 0) {
    throw FormatError(name +
                      ": was saved on a big-endian machine, which is not read: load it "
                      "there and save it as safetensors");
  }
  auto graph = next();
  const auto keys = next();
  if (!keys->root->is(PickleKind::list)) {
    throw FormatError(name + ": damaged: the list of its storages is " + describe(*keys->root));
  }
  auto storages = find_storages(file, at, *graph, *keys->root, name);
  return std::make_shared<TorchCheckpoint>("legacy", name, file.size, std::move(graph),
                                           std::make_unique<LegacyStorages>(std::move(storages)));
}

}  // namespace grasppanda::io
