#include "app/commands/operator_arrays.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <stdexcept>

#include "models/weights.h"

namespace grasppanda::app {

namespace {

io::DType dtype_of(at::ScalarType type) {
  switch (type) {
    case at::kBool:
      return io::DType::boolean;
    case at::kInt:
      return io::DType::int32;
    case at::kLong:
      return io::DType::int64;
    case at::kHalf:
      return io::DType::float16;
    case at::kFloat:
      return io::DType::float32;
    case at::kDouble:
      return io::DType::float64;
    default:
      throw std::logic_error(std::string("an operator's output of type ") + at::toString(type) +
                             " has no form in a .npz file");
  }
}

}  // namespace

ops::OperatorCall::Value operator_value(const io::Array& array, const at::Device& device) {
  if (array.is_text) {
    const auto bytes = array.bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return models::tensor_of(array).to(device);
}

ops::OperatorCall::Values operator_values(const io::NpzReader& archive,
                                          const ops::OperatorDescription& description,
                                          const at::Device& device) {
  ops::OperatorCall::Values values;
  const auto take = [&](std::string_view name) {
    if (archive.contains(name)) values.emplace(name, operator_value(archive.read(name), device));
  };
  for (const ops::ArrayDescription& input : description.inputs) take(input.name);
  for (const ops::ParameterDescription& parameter : description.parameters) take(parameter.name);
  return values;
}

io::Array array_of(const at::Tensor& tensor) {
  const at::Tensor stored = tensor.detach().to(at::kCPU).contiguous();
  return io::make_array(dtype_of(stored.scalar_type()), stored.sizes().vec(),
                        {static_cast<const std::byte*>(stored.const_data_ptr()), stored.nbytes()});
}

void append_outputs(NamedArrays& arrays, const ops::OperatorDescription& description,
                    const ops::NamedTensors& outputs, const std::string& prefix) {
  for (const ops::ArrayDescription& output : description.outputs)
    if (const auto found = outputs.find(output.name); found != outputs.end())
      arrays.emplace_back(prefix + std::string(output.name), array_of(found->second));
}

}  // namespace grasppanda::app
