#include "models/weights.h"

#include <ATen/ATen.h>

#include <stdexcept>

#include "models/checkpoint_error.h"

namespace grasppanda::models {

namespace {

at::ScalarType scalar_type(io::DType dtype) {
  switch (dtype) {
    case io::DType::boolean:
      return at::kBool;
    case io::DType::uint8:
      return at::kByte;
    case io::DType::int8:
      return at::kChar;
    case io::DType::uint16:
      return at::kUInt16;
    case io::DType::int16:
      return at::kShort;
    case io::DType::uint32:
      return at::kUInt32;
    case io::DType::int32:
      return at::kInt;
    case io::DType::uint64:
      return at::kUInt64;
    case io::DType::int64:
      return at::kLong;
    case io::DType::float16:
      return at::kHalf;
    case io::DType::bfloat16:
      return at::kBFloat16;
    case io::DType::float32:
      return at::kFloat;
    case io::DType::float64:
      return at::kDouble;
  }
  throw std::logic_error("tensor_of: unknown type of array");
}

}  // namespace

std::string_view bare_key(std::string_view key) {
  if (key.starts_with("module.")) key.remove_prefix(7);
  return key;
}

at::Tensor tensor_of(const io::Array& array) {
  const at::TensorOptions options = at::TensorOptions().dtype(scalar_type(array.dtype));
  if (array.numel() == 0) return at::empty(array.shape, options);
  // The deleter holds the bytes. Nobody writes through the tensor: arrays are immutable.
  auto bytes = array.data;
  return at::from_blob(
      const_cast<std::byte*>(bytes.get()), array.shape, [bytes](void*) {}, options);
}

Weights::Weights(std::span<const io::NamedArray> tensors) {
  for (const io::NamedArray& tensor : tensors) {
    arrays_.emplace(bare_key(tensor.key), tensor.array);
  }
}

at::Tensor Weights::operator()(std::string_view key) const {
  const auto found = arrays_.find(key);
  if (found == arrays_.end()) {
    throw CheckpointError("the checkpoint holds no tensor '" + std::string(key) + "'");
  }
  const at::Tensor stored = tensor_of(found->second);
  if (!stored.is_floating_point()) {
    throw CheckpointError("tensor '" + std::string(key) + "' is " + io::describe(found->second) +
                          ", the model wants floating-point weights");
  }
  return stored.to(at::kFloat);
}

}  // namespace grasppanda::models
