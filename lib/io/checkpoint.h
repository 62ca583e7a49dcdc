// What a checkpoint file holds, whatever its container: named arrays, and what lay beside them.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lib/io/array.h"
#include "lib/io/torch_checkpoint.h"

namespace grasppanda::io {

struct NamedArray {
  std::string key;  // relative to the wrapper; a common `module.` is kept (see strip_module_prefix)
  Array array;      // stored dtype; may point into the mapped file
};

struct Checkpoint {
  std::string format;               // "zip", "legacy", "safetensors"
  std::string container;            // "model_state_dict", "state_dict", "model", "ema" or "" (top)
  std::vector<NamedArray> tensors;  // file order; only the weights that were chosen
  std::shared_ptr<const nlohmann::json> other;  // entries beside the weights, tensors as summaries
  std::vector<std::string> placeholders;        // foreign objects that became inert, by name
  std::vector<std::string> warnings;            // "holds a second set of weights in 'ema'", ...
  /// The whole file as an inert graph, for models that read more than tensors from it (pickled
  /// modules); null for safetensors, whose metadata are in `other`.
  std::shared_ptr<const TorchCheckpoint> source;
};

/// Reads a checkpoint; the format is decided by content. Executes nothing that is in the file.
/// Weights are taken from `model_state_dict`, `state_dict`, `model`, `ema`, in this order, else
/// from the top level. Pickled modules of Ultralytics are read as inert graphs (`ema` before
/// `model`). Tensors are mapped, not read: a file of gigabytes costs what is used of it. Throws
/// FormatError: missing, empty, cut off, HTML page, Git LFS pointer, another pickled module (naming
/// its class), a reference to something that runs code (naming it), damaged, no tensors.
Checkpoint read_checkpoint(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
Checkpoint read_checkpoint(const SharedBytes& file, const std::string& name);

/// The inert graph of a PyTorch file, whatever it holds; throws FormatError as above, but takes
/// every pickled object.
std::shared_ptr<const TorchCheckpoint> read_torch_checkpoint(const std::filesystem::path& path);

/// Removes a leading `module.` if every key has it; true when it did.
bool strip_module_prefix(std::vector<NamedArray>& tensors);

}  // namespace grasppanda::io
