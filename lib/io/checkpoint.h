// What a checkpoint file holds, whatever its container: named arrays, and what lay beside them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <memory>

#include "lib/io/array.h"

namespace grasppanda::io {

struct NamedArray {
  std::string key;   // relative to the wrapper; a common `module.` is kept (see strip_module_prefix)
  Array array;       // stored dtype; may point into the mapped file
};

struct Checkpoint {
  std::string format;                 // "zip", "legacy", "safetensors"
  std::string container;              // "model_state_dict", "state_dict", "model", "ema" or "" (top)
  std::vector<NamedArray> tensors;    // file order; only the weights that were chosen
  std::shared_ptr<const nlohmann::json> other;   // entries beside the weights, tensors as summaries
  std::vector<std::string> placeholders;         // foreign objects that became inert, by name
  std::vector<std::string> warnings;             // "holds a second set of weights in 'ema'", ...
};

/// Reads a checkpoint; the format is decided by content. Executes nothing that is in the file.
/// Throws FormatError: missing, empty, cut off, HTML page, Git LFS pointer, pickled module (naming
/// its class), a reference to something that runs code (naming it), damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Removes a leading `module.` if every key has it; true when it did.
bool strip_module_prefix(std::vector<NamedArray>& tensors);

}  // namespace grasppanda::io
