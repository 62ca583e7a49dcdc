// Stored arrays as the arguments of an operator, and its outputs as arrays.
#pragma once

#include <c10/core/Device.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/io/array.h"
#include "lib/io/npz.h"
#include "lib/ops/operator_list.h"

namespace grasppanda::app {

using NamedArrays = std::vector<std::pair<std::string, io::Array>>;

/// A text stays a text; anything else becomes a tensor on `device`.
ops::OperatorCall::Value operator_value(const io::Array& array, const at::Device& device);

/// Every input and parameter of the operator that the archive holds; other arrays are not read.
ops::OperatorCall::Values operator_values(const io::NpzReader& archive,
                                          const ops::OperatorDescription& description,
                                          const at::Device& device);

/// The bytes of a CPU or CUDA tensor, copied.
io::Array array_of(const at::Tensor& tensor);

/// The outputs in the order of their description, under `prefix` + name.
void append_outputs(NamedArrays& arrays, const ops::OperatorDescription& description,
                    const ops::NamedTensors& outputs, const std::string& prefix = {});

}  // namespace grasppanda::app
