#include "lib/io/checkpoint.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "lib/io/checkpoint_entries.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/module_graph.h"
#include "lib/io/printable_text.h"
#include "lib/io/safetensors.h"

namespace grasppanda::io {

namespace {

[[noreturn]] void refuse_content(const SharedBytes& file, Content content,
                                 const std::string& name) {
  switch (content) {
    case Content::empty:
      throw FormatError(name + ": is an empty file (0 bytes); fetch it again");
    case Content::html:
      throw FormatError(name +
                        ": is an HTML page, not a checkpoint; the download led to a web page "
                        "instead of the file");
    case Content::lfs_pointer:
      throw FormatError(name +
                        ": is a Git LFS pointer, not the checkpoint itself; fetch it with "
                        "'git lfs pull'");
    case Content::unknown:
      break;
    default:
      throw FormatError(name + ": is " + std::string(content_words(content)) +
                        ", not a checkpoint");
  }
  if (file.size > 262 && file.text().substr(257, 5) == "ustar") {
    throw FormatError(name +
                      ": is a tar archive; what PyTorch calls .tar is none: unpack it and "
                      "give the checkpoint inside");
  }
  throw FormatError(name +
                    ": is no checkpoint that is read (PyTorch zip or legacy, safetensors); it "
                    "begins with " +
                    in_quotes(file.text().substr(0, 24)));
}

// Pickles of protocol 2 and later begin with PROTO; those before with one of few steps.
bool looks_like_pickle(const SharedBytes& file) {
  const std::string_view text = file.text();
  if (text.starts_with('\x80')) return text.size() < 2 || text[1] <= 5;
  return text.find_first_of("(cd]}lN") == 0 && text.ends_with('.');
}

std::shared_ptr<const TorchCheckpoint> read_torch(const SharedBytes& file,
                                                  const std::string& name) {
  const Content content = content_of(file.span());
  if (content == Content::zip) return read_torch_zip(file, name);
  if (content == Content::unknown && looks_like_pickle(file)) return read_torch_legacy(file, name);
  refuse_content(file, content, name);
}

void add_tensor(Checkpoint& checkpoint, std::unordered_set<std::string_view>& keys,
                std::string_view key, Array array, const std::string& name) {
  if (!keys.insert(key).second) {
    throw FormatError(name + ": damaged: two tensors have the key " + in_quotes(key));
  }
  checkpoint.tensors.push_back({std::string(key), std::move(array)});
}

void take_dict(Checkpoint& checkpoint, const PickleValue& dict, const std::string& name) {
  std::unordered_set<std::string_view> keys;
  std::size_t left_out = 0;
  std::string first_left_out;
  const PickleItems& pairs = dict.items();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const PickleValue &key = *pairs[i], &value = *pairs[i + 1];
    const bool is_array = value.array() != nullptr && value.array()->data != nullptr;
    if (value.tensor() == nullptr && !is_array) {
      if (checkpoint.container.empty()) continue;  // other entries of the top level
      if (++left_out == 1) first_left_out = in_quotes(key.raw()) + ", " + describe(value);
      continue;
    }
    if (!key.text()) {
      throw FormatError(name + ": damaged: a tensor has " + describe(key) + " for a key");
    }
    add_tensor(checkpoint, keys, *key.text(),
               value.tensor() != nullptr
                   ? checkpoint.source->array(*value.tensor(), std::string(*key.text()))
                   : to_array(*value.array(), name + ": " + in_quotes(*key.text())),
               name);
  }
  if (left_out > 0) {
    checkpoint.warnings.push_back(name + ": " + std::to_string(left_out) +
                                  " of the entries among the weights are left out, they are no "
                                  "tensors (" +
                                  first_left_out + (left_out > 1 ? ", ...)" : ")"));
  }
}

void take_module(Checkpoint& checkpoint, const PickleValue& module, const std::string& name) {
  const std::vector<ModuleTensor> tensors = module_tensors(module, name);
  std::unordered_set<std::string_view> keys;
  for (const auto& [key, tensor] : tensors) {
    add_tensor(checkpoint, keys, key, checkpoint.source->array(*tensor, key), name);
  }
}

Checkpoint take_torch(std::shared_ptr<const TorchCheckpoint> source, const std::string& name) {
  Checkpoint checkpoint;
  checkpoint.source = std::move(source);
  checkpoint.format = checkpoint.source->format();
  checkpoint.placeholders = checkpoint.source->graph().placeholders;
  const PickleValue& root = checkpoint.source->root();
  const WeightsEntry weights = choose_weights(root, name, checkpoint.warnings);
  checkpoint.container = weights.container;
  if (is_module(*weights.value)) {
    take_module(checkpoint, *weights.value, name);
  } else {
    take_dict(checkpoint, *weights.value, name);
  }
  checkpoint.other = std::make_shared<nlohmann::json>(other_entries_json(root, weights));
  return checkpoint;
}

Checkpoint take_safetensors(const SharedBytes& file, const std::string& name) {
  Safetensors content = parse_safetensors(file, name);
  if (content.tensors.empty()) throw FormatError(name + ": holds no tensors");
  Checkpoint checkpoint;
  checkpoint.format = "safetensors";
  checkpoint.tensors = std::move(content.tensors);
  // A file that was converted keeps its other entries as JSON; they stand where they stood before.
  nlohmann::json other = nlohmann::json::object();
  if (const auto kept = content.metadata.find(kOtherEntries); kept != content.metadata.end()) {
    bool deep = false;  // what is printed, copied and freed by recursion stays shallow
    const auto shallow = [&deep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
      deep = deep || depth > 40;
      return !deep;
    };
    nlohmann::json parsed = nlohmann::json::parse(kept->second, shallow, false);
    if (!deep && parsed.is_object()) other = std::move(parsed);
    content.metadata.erase(kept);
  }
  if (!content.metadata.empty()) other["__metadata__"] = content.metadata;
  checkpoint.other = std::make_shared<nlohmann::json>(std::move(other));
  return checkpoint;
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return read_checkpoint(map_file(path), path.string());
}

Checkpoint read_checkpoint(const SharedBytes& file, const std::string& name) {
  // Asked before a pickle is: one header in 32 has a length whose first byte is a pickle's, but no
  // pickle has the zeros that a header's length has behind it.
  if (content_of(file.span()) == Content::unknown && looks_like_safetensors(file.span())) {
    return take_safetensors(file, name);
  }
  return take_torch(read_torch(file, name), name);
}

std::shared_ptr<const TorchCheckpoint> read_torch_checkpoint(const std::filesystem::path& path) {
  return read_torch(map_file(path), path.string());
}

bool strip_module_prefix(std::vector<NamedArray>& tensors) {
  constexpr std::string_view kPrefix = "module.";
  const auto has_prefix = [&](const NamedArray& tensor) { return tensor.key.starts_with(kPrefix); };
  if (tensors.empty() || !std::ranges::all_of(tensors, has_prefix)) return false;
  for (NamedArray& tensor : tensors) tensor.key.erase(0, kPrefix.size());
  return true;
}

}  // namespace grasppanda::io
