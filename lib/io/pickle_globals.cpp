#include "lib/io/pickle_globals.h"

namespace grasppanda::io {

namespace {

struct KnownGlobal {
  std::string_view module, name;
  GlobalRole role;
};
constexpr KnownGlobal kKnown[] = {
    {"collections", "OrderedDict", GlobalRole::dict_type},
    {"collections", "defaultdict", GlobalRole::dict_type},
    {"collections", "Counter", GlobalRole::dict_type},
    {"_codecs", "encode", GlobalRole::encode_text},
    {"copyreg", "__newobj__", GlobalRole::new_object},
    {"copyreg", "_reconstructor", GlobalRole::reconstruct_object},
    {"torch", "Size", GlobalRole::torch_size},
    {"torch", "device", GlobalRole::torch_device},
    {"torch._utils", "_rebuild_tensor", GlobalRole::rebuild_tensor},
    {"torch._utils", "_rebuild_tensor_v2", GlobalRole::rebuild_tensor},
    {"torch._utils", "_rebuild_tensor_v3", GlobalRole::rebuild_tensor_v3},
    {"torch._utils", "_rebuild_parameter", GlobalRole::rebuild_parameter},
    {"torch._utils", "_rebuild_parameter_with_state", GlobalRole::rebuild_parameter},
    {"torch._tensor", "_rebuild_from_type_v2", GlobalRole::rebuild_from_type},
    {"numpy", "dtype", GlobalRole::numpy_dtype},
    {"numpy", "ndarray", GlobalRole::plain},
    {"numpy._core.multiarray", "_reconstruct", GlobalRole::numpy_reconstruct},
    {"numpy._core.multiarray", "scalar", GlobalRole::numpy_scalar},
    {"numpy._core.numeric", "_frombuffer", GlobalRole::numpy_from_buffer}};

// All that is allowed of `builtins`.
constexpr KnownGlobal kBuiltins[] = {
    {"", "dict", GlobalRole::dict_type},       {"", "set", GlobalRole::set_type},
    {"", "frozenset", GlobalRole::set_type},   {"", "list", GlobalRole::list_type},
    {"", "tuple", GlobalRole::tuple_type},     {"", "bytes", GlobalRole::bytes_type},
    {"", "bytearray", GlobalRole::bytes_type}, {"", "getattr", GlobalRole::get_attribute},
    {"", "bool", GlobalRole::plain},           {"", "int", GlobalRole::plain},
    {"", "long", GlobalRole::plain},           {"", "float", GlobalRole::plain},
    {"", "complex", GlobalRole::plain},        {"", "str", GlobalRole::plain},
    {"", "unicode", GlobalRole::plain},        {"", "object", GlobalRole::plain},
    {"", "slice", GlobalRole::plain},          {"", "range", GlobalRole::plain},
    {"", "xrange", GlobalRole::plain},         {"", "NotImplemented", GlobalRole::plain},
    {"", "Ellipsis", GlobalRole::plain}};

// Names of older Python and NumPy versions.
std::string_view current_module(std::string_view module) {
  if (module == "__builtin__") return "builtins";
  if (module == "copy_reg") return "copyreg";
  if (module == "numpy.core.multiarray") return "numpy._core.multiarray";
  if (module == "numpy.core.numeric") return "numpy._core.numeric";
  return module;
}

}  // namespace

GlobalRole role_of(std::string_view module, std::string_view name) {
  module = current_module(module);
  if (module == "builtins") {
    for (const KnownGlobal& known : kBuiltins) {
      if (known.name == name) return known.role;
    }
    const bool exception = name.ends_with("Error") || name.ends_with("Exception");
    return exception && name.find('.') == name.npos ? GlobalRole::plain : GlobalRole::forbidden;
  }
  for (const KnownGlobal& known : kKnown) {
    if (known.module == module && known.name == name) return known.role;
  }
  if (name.ends_with("Storage") &&
      (module == "torch" || module == "torch.cuda" || module == "torch.storage")) {
    return GlobalRole::storage_type;
  }
  if (module == "torch" && torch_dtype(name)) return GlobalRole::torch_dtype;
  if (module == "copyreg" || module == "_codecs" || module == "codecs" || module == "functools" ||
      module == "operator" || module == "_operator" || module == "types") {
    // Toolboxes of small machines; what training code leaves behind of them is harmless.
    const bool harmless = name == "partial" || name == "SimpleNamespace" ||
                          name == "MappingProxyType" || name == "__newobj_ex__";
    return harmless ? GlobalRole::inert : GlobalRole::forbidden;
  }
  return is_forbidden_global(module, name) ? GlobalRole::forbidden : GlobalRole::inert;
}

StorageType storage_type(std::string_view name) {
  struct Row {
    std::string_view name;
    DType dtype;
  };
  constexpr Row kRows[] = {{"FloatStorage", DType::float32}, {"HalfStorage", DType::float16},
                           {"LongStorage", DType::int64},    {"DoubleStorage", DType::float64},
                           {"IntStorage", DType::int32},     {"ShortStorage", DType::int16},
                           {"CharStorage", DType::int8},     {"ByteStorage", DType::uint8},
                           {"BoolStorage", DType::boolean},  {"BFloat16Storage", DType::bfloat16}};
  for (const Row& row : kRows) {
    if (row.name == name) return {row.dtype, static_cast<std::int64_t>(item_size(row.dtype))};
  }
  // Read past, never into: the legacy format needs their sizes to find what follows.
  if (name == "ComplexFloatStorage") return {std::nullopt, 8};
  if (name == "ComplexDoubleStorage") return {std::nullopt, 16};
  if (name == "QInt8Storage" || name == "QUInt8Storage") return {std::nullopt, 1};
  if (name == "QInt32Storage") return {std::nullopt, 4};
  if (name == "UntypedStorage" || name == "_UntypedStorage") return {std::nullopt, 1};
  return {};
}

std::optional<DType> torch_dtype(std::string_view name) {
  struct Row {
    std::string_view name, older;
    DType dtype;
  };
  constexpr Row kRows[] = {
      {"float32", "float", DType::float32}, {"float64", "double", DType::float64},
      {"float16", "half", DType::float16},  {"bfloat16", "", DType::bfloat16},
      {"int64", "long", DType::int64},      {"int32", "int", DType::int32},
      {"int16", "short", DType::int16},     {"int8", "", DType::int8},
      {"uint8", "", DType::uint8},          {"uint16", "", DType::uint16},
      {"uint32", "", DType::uint32},        {"uint64", "", DType::uint64},
      {"bool", "", DType::boolean}};
  for (const Row& row : kRows) {
    if (name == row.name || (!name.empty() && name == row.older)) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace grasppanda::io
