// A checkpoint's tensors by name, in the form the networks compute with.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "lib/io/checkpoint.h"

namespace grasppanda::models {

/// The key without a leading `module.`, which data-parallel training leaves on every key.
std::string_view bare_key(std::string_view key);

/// Looks tensors up by their bare key. Keeps the arrays, and so a mapped file, alive.
class Weights {
 public:
  explicit Weights(std::span<const io::NamedArray> tensors);

  /// As float32 on the CPU; float16, bfloat16 are widened, float64 is rounded. Throws
  /// CheckpointError when the tensor is missing or holds integers.
  at::Tensor operator()(std::string_view key) const;

  bool has(std::string_view key) const { return arrays_.contains(key); }

 private:
  std::map<std::string, io::Array, std::less<>> arrays_;
};

/// Wraps the bytes of an array as a CPU tensor of the same type, without a copy.
at::Tensor tensor_of(const io::Array& array);

}  // namespace grasppanda::models
