// Which names a pickle may mention, and what they mean to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/io/array.h"

namespace grasppanda::io {

enum class GlobalRole : std::uint8_t {
  inert,          // a foreign class or function: a placeholder
  plain,          // a built-in type that is harmless and not worth listing
  forbidden,      // runs code, opens files or evaluates text
  get_attribute,  // getattr: allowed on inert classes only, see PickleBuilder
  dict_type,
  set_type,
  list_type,
  tuple_type,
  bytes_type,
  new_object,
  reconstruct_object,  // copyreg's ways to say NEWOBJ
  encode_text,         // _codecs.encode: how protocol 2 writes bytes
  rebuild_tensor,
  rebuild_tensor_v3,
  rebuild_parameter,
  rebuild_from_type,
  storage_type,
  torch_dtype,
  torch_size,
  torch_device,
  numpy_reconstruct,
  numpy_scalar,
  numpy_dtype,
  numpy_from_buffer
};

/// The role of a global by its name as the pickle spells it (a name may hold dots in protocol 4).
GlobalRole role_of(std::string_view module, std::string_view name);

/// Does the name stand for something that runs code, opens files or evaluates text?
bool is_forbidden_global(std::string_view module, std::string_view name);

struct StorageType {
  std::optional<DType> dtype;
  std::int64_t item_bytes = 0;  // 0: not read
};
/// Of "FloatStorage", "UntypedStorage", ...
StorageType storage_type(std::string_view name);
/// Of "float32" and the older names ("float", "half", "long", ...), without "torch.".
std::optional<DType> torch_dtype(std::string_view name);

}  // namespace grasppanda::io
