// What a checkpoint says about its model beside the tensors: class names, input size, licence, and
// of a pickled module its tree of parts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/checkpoint.h"

namespace grasppanda::io {

/// Class names in order of their index: `names` of a pickled module (or of one that was converted),
/// or `meta.CLASSES`. Empty: the file names none. An index without a name gets its number.
std::vector<std::string> checkpoint_class_names(const Checkpoint& checkpoint);

/// `args.imgsz` of a pickled module; the larger of two numbers.
std::optional<std::int64_t> checkpoint_image_size(const Checkpoint& checkpoint);

/// The text under `key` among the entries beside the weights ("license"), or empty.
std::string checkpoint_text(const Checkpoint& checkpoint, std::string_view key);

/// What `checkpoint convert` noted about the model when it made this file: name -> text.
std::map<std::string, std::string> checkpoint_notes(const Checkpoint& checkpoint);
/// Metadata key under which those notes are kept, as a JSON object of texts.
inline constexpr const char* kModelNotes = "grasppanda.model";

/// One part of a pickled module.
struct StoredModule {
  std::string path;                       // "model.9.cv1.act"
  std::string type;                       // dotted class name: "torch.nn.modules.activation.SiLU"
  std::map<std::string, double> numbers;  // plain attributes: "eps", "stride", true as 1
};
/// The tree in its order, parents first, by the names that tensors have; a part that stands in
/// several places is listed at each. Empty when the weights are no pickled module. Throws
/// FormatError for a tree beyond reason.
std::vector<StoredModule> stored_modules(const Checkpoint& checkpoint);

}  // namespace grasppanda::io
