// The tensors of a pickled torch.nn.Module, found without making one.
#pragma once

#include <string>
#include <vector>

#include "lib/io/pickle_value.h"

namespace grasppanda::io {

/// An object whose state has `_modules` and `_parameters`.
bool is_module(const PickleValue& value);

struct ModuleTensor {
  std::string
      key;  // as in the module's state_dict: names of `_modules` joined by dots, then its own
  const PickleTensor* tensor;
};
/// What state_dict() of the module would hold, in its order: per module parameters, then persistent
/// buffers, then children. Throws FormatError beginning with `name` when modules hold themselves or
/// are nested or many beyond reason.
std::vector<ModuleTensor> module_tensors(const PickleValue& module, const std::string& name);

}  // namespace grasppanda::io
