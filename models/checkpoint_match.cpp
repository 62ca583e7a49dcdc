// Strict loading: what a file holds against what a model expects.
#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/checkpoint_error.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::models {

namespace {

constexpr std::size_t kNamed = 10;  // of each kind in a message; the rest is a total

bool is_floating(io::DType dtype) {
  return dtype == io::DType::float16 || dtype == io::DType::bfloat16 ||
         dtype == io::DType::float32 || dtype == io::DType::float64;
}

bool is_counter(std::string_view key) {
  return key.ends_with(".num_batches_tracked");
}

bool all_finite(const io::Array& array) {
  return at::isfinite(tensor_of(array)).all().item<bool>();
}

/// "3 tensors missing: a, b, c" with the first ten names.
std::string listed(const std::vector<std::string>& names, const std::string& what) {
  std::string text = std::to_string(names.size()) + " " +
                     (names.size() == 1 ? "tensor " : "tensors ") + what + ": ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kNamed ? text + ", ..." : text;
}

/// The other model that knows this file, by its telling keys; it may have the same name, of another
/// project.
const ModelEntry* better_model(const ModelEntry& model, std::span<const io::NamedArray> tensors) {
  for (const ModelEntry& other : model_list()) {
    const bool same = other.name == model.name && other.family == model.family;
    if (!same && other.recognises != nullptr && other.recognises(tensors)) {
      return &other;
    }
  }
  return nullptr;
}

/// Where its configurations are: "configs/mmrotate/rotated_fcos*.yaml".
std::string configurations(const ModelEntry& model) {
  const std::string name(model.name);
  if (model.family == "grasp") return "configs/" + name + "*.yaml";
  if (model.family == "ultralytics") return "configs/" + name + "/*.yaml";
  return "configs/" + full_name(model) + "*.yaml";
}

/// "rotated_fcos (set model.name: rotated_fcos; its configurations: configs/...)". A name that two
/// projects share is told with the project.
std::string which_fits(const ModelEntry& other, const ModelEntry& model) {
  const auto namesakes = std::ranges::count(model_list(), other.name, &ModelEntry::name);
  std::string settings;
  if (other.name != model.name) settings = "model.name: " + std::string(other.name);
  if (namesakes > 1 && other.family != model.family)
    settings +=
        (settings.empty() ? "model.family: " : ", model.family: ") + std::string(other.family);
  return (namesakes > 1 ? full_name(other) : std::string(other.name)) + " (set " + settings +
         "; its configurations: " + configurations(other) + ")";
}

void require_supported(std::span<const io::NamedArray> tensors, const std::string& file) {
  const std::string name = unsupported_model(tensors);
  if (name.empty()) return;
  throw CheckpointError("checkpoint " + file + ": it is one of " + name +
                        ", which is recognised but not supported; supported are Rotated "
                        "RetinaNet, Oriented R-CNN, Rotated Faster R-CNN, RoI Transformer and "
                        "Rotated FCOS");
}

}  // namespace

bool CheckpointMatch::fits() const {
  return missing.empty() && wrong_shape.empty() && (tolerates_leftovers || unexpected.empty());
}

CheckpointMatch match_checkpoint(const ModelEntry& model, const config::Config* config,
                                 std::span<const io::NamedArray> tensors) {
  std::map<std::string_view, const io::Array*> held;
  for (const io::NamedArray& tensor : tensors) held.emplace(bare_key(tensor.key), &tensor.array);
  CheckpointMatch match;
  match.tolerates_leftovers = model.tolerates_leftovers;
  const std::vector<ExpectedTensor> expected =
      model.expected_of != nullptr ? model.expected_of(config, tensors) : model.expected(config);
  for (const ExpectedTensor& want : expected) {
    const auto found = held.find(want.key);
    if (found == held.end()) {
      if (want.used) match.missing.push_back(want.key);
      continue;
    }
    const io::Array& got = *found->second;
    held.erase(found);
    if (got.shape != want.shape) {
      match.wrong_shape.push_back("'" + want.key + "' has shape " + io::shape_text(got.shape) +
                                  ", the model wants " + io::shape_text(want.shape));
    } else if (!is_counter(want.key) && !is_floating(got.dtype)) {
      match.wrong_shape.push_back("'" + want.key + "' is " + io::describe(got) +
                                  ", the model wants floating-point numbers");
    } else if (!want.used) {
      match.unused.push_back(want.key);
    } else if (is_floating(got.dtype) && !all_finite(got)) {
      match.not_finite.push_back(want.key);
    }
  }
  // What is left of the file, in its own order.
  for (const io::NamedArray& tensor : tensors) {
    if (held.contains(bare_key(tensor.key))) match.unexpected.push_back(tensor.key);
  }
  return match;
}

void require_match(const ModelEntry& model, const CheckpointMatch& match,
                   std::span<const io::NamedArray> tensors, const std::string& file) {
  require_supported(tensors, file);
  if (match.fits() && match.not_finite.empty()) return;
  std::vector<std::string> parts;
  if (!match.missing.empty()) parts.push_back(listed(match.missing, "missing"));
  if (!match.unexpected.empty()) parts.push_back(listed(match.unexpected, "not expected"));
  if (!match.wrong_shape.empty()) parts.push_back(listed(match.wrong_shape, "of the wrong form"));
  if (match.fits()) {
    throw CheckpointError("checkpoint " + file + ": " +
                          listed(match.not_finite, "with NaN or infinite weights") +
                          "; the file is damaged or its training diverged");
  }
  std::string message = "checkpoint " + file + " does not fit " + std::string(model.name) + ": ";
  if (const ModelEntry* other = better_model(model, tensors)) {
    // All the differences would only hide the one fact that helps.
    message += "it is one of " + which_fits(*other, model) + "; ";
  } else if (tensors.empty()) {
    message += "it holds no tensors; ";
  }
  for (std::size_t i = 0; i < parts.size(); ++i) message += (i == 0 ? "" : "; ") + parts[i];
  throw CheckpointError(message);
}

}  // namespace grasppanda::models
