// The zip format of torch.save (since PyTorch 1.6): ROOT/data.pkl, ROOT/data/KEY, ROOT/byteorder.
#include <algorithm>

#include "lib/io/format_error.h"
#include "lib/io/pickle_reader.h"
#include "lib/io/printable_text.h"
#include "lib/io/torch_checkpoint.h"

namespace grasppanda::io {

namespace {

constexpr std::string_view kPickle = "data.pkl";

class ZipStorages : public StorageSource {
 public:
  ZipStorages(ZipArchive archive, std::string root)
      : archive_(std::move(archive)), root_(std::move(root)) {}
  SharedBytes read(const std::string& key) override {
    const ZipEntry* entry = archive_.find(root_ + "data/" + key);
    return entry == nullptr ? SharedBytes() : archive_.read(*entry);
  }

 private:
  ZipArchive archive_;
  std::string root_;
};

// The folder in which the pickle lies, with its slash.
std::string find_root(const ZipArchive& archive, const std::string& name) {
  const ZipEntry* best = nullptr;
  for (const ZipEntry& entry : archive.entries()) {
    const bool in_folder = entry.name.ends_with("/data.pkl");
    if (!in_folder && entry.name != kPickle) continue;
    if (best == nullptr ||
        std::ranges::count(entry.name, '/') < std::ranges::count(best->name, '/')) {
      best = &entry;
    }
  }
  if (best != nullptr) return best->name.substr(0, best->name.size() - kPickle.size());
  std::string first =
      archive.entries().empty() ? std::string("nothing") : in_quotes(archive.entries()[0].name);
  throw FormatError(name + ": is a zip archive, but no checkpoint: it has no data.pkl (it holds " +
                    first + (archive.entries().size() > 1 ? ", ...)" : ")"));
}

}  // namespace

std::shared_ptr<const TorchCheckpoint> read_torch_zip(const SharedBytes& file,
                                                      const std::string& name) {
  ZipArchive archive(file, name);
  const std::string root = find_root(archive, name);
  if (archive.find(root + "constants.pkl") != nullptr) {
    throw FormatError(name +
                      ": is a TorchScript archive (a program), a checkpoint of tensors is "
                      "wanted: save the module's state_dict() with torch.save");
  }
  if (const ZipEntry* order = archive.find(root + "byteorder")) {
    if (archive.read(*order).text().starts_with("big")) {
      throw FormatError(name +
                        ": was saved on a big-endian machine, which is not read: load it "
                        "there and save it as safetensors");
    }
  }
  const SharedBytes pickle = archive.read(*archive.find(root + std::string(kPickle)));
  auto graph = read_pickle(pickle.span(), name);
  return std::make_shared<TorchCheckpoint>("zip", name, file.size, std::move(graph),
                                           std::make_unique<ZipStorages>(std::move(archive), root));
}

}  // namespace grasppanda::io
