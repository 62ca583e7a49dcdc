// The calls of a pickle that make tensors, storages and NumPy's values.
#include <cstring>

#include "lib/io/float16.h"
#include "lib/io/pickle_builder.h"
#include "lib/io/printable_text.h"
#include "lib/io/strided.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kMaxAxes = 64;

}  // namespace

std::vector<std::int64_t> PickleBuilder::integers(const PickleValue& sequence,
                                                  const char* what) const {
  std::vector<std::int64_t> values;
  if (const auto one = sequence.integer()) return {*one};
  require(sequence.is(PickleKind::tuple) || sequence.is(PickleKind::list), what);
  require(sequence.items().size() <= kMaxAxes, "an array with more than 64 axes");
  for (const PickleValue* item : sequence.items()) {
    require(item->is(PickleKind::integer), what);
    values.push_back(*item->integer());
  }
  return values;
}

// ('storage', type, key, location, items[, view]); view: (key, first item, items), legacy files.
// ('module', class, file, source): how old files stored a class.
PickleValue* PickleBuilder::persistent(const PickleValue& id) {
  const PickleItems& parts = id.items();
  if (id.is(PickleKind::tuple) && parts.size() >= 2 && parts[0]->text() == "module" &&
      parts[1]->global() != nullptr) {
    return const_cast<PickleValue*>(parts[1]);
  }
  require(id.is(PickleKind::tuple) && parts.size() >= 5 && parts[0]->text() == "storage" &&
              parts[1]->global() != nullptr,
          "it refers to something outside of the pickle that is no storage");
  auto storage = std::make_unique<PickleStorage>();
  charge(parts[2]->raw().size() + parts[3]->raw().size());
  storage->type = parts[1]->global()->name;
  const StorageType type = storage_type(storage->type);
  storage->dtype = type.dtype;
  storage->item_bytes = type.item_bytes;
  // Keys are texts; files of the first versions have numbers.
  storage->key = parts[2]->integer() ? std::to_string(*parts[2]->integer()) : parts[2]->raw();
  storage->location = parts[3]->raw();
  storage->numel = storage->stored_numel = parts[4]->integer().value_or(-1);
  require(!storage->key.empty() && storage->numel >= 0, "a storage without key or size");
  if (parts.size() > 5 && parts[5]->is(PickleKind::tuple)) {
    const PickleItems& view = parts[5]->items();
    require(view.size() == 3 && view[1]->integer() && view[2]->integer(),
            "a storage view with wrong parts");
    storage->first = *view[1]->integer();
    storage->numel = *view[2]->integer();
    std::int64_t end = 0;
    require(storage->first >= 0 && storage->numel >= 0 &&
                !__builtin_add_overflow(storage->first, storage->numel, &end) &&
                end <= storage->stored_numel,
            "a storage view with impossible numbers");
  }
  return make(PickleKind::storage, std::move(storage));
}

// (storage, offset, size, stride, ...); version 3 names the type itself, because its storage is
// untyped: (storage, offset, size, stride, requires_grad, hooks, dtype).
PickleValue* PickleBuilder::rebuild_tensor(const PickleItems& arguments, bool own_dtype) {
  require(arguments.size() >= (own_dtype ? 7u : 4u) && arguments[0]->storage() != nullptr &&
              arguments[1]->integer(),
          "a tensor with wrong arguments");
  auto tensor = std::make_unique<PickleTensor>();
  const PickleStorage& storage = *arguments[0]->storage();
  tensor->storage = &storage;
  tensor->dtype = storage.dtype;
  tensor->dtype_name = storage.dtype ? std::string(dtype_name(*storage.dtype)) : storage.type;
  std::int64_t capacity = storage.numel;
  if (own_dtype) {
    require(arguments[6]->global() != nullptr, "a tensor without a type");
    tensor->dtype = torch_dtype(arguments[6]->global()->name);
    tensor->dtype_name = arguments[6]->global()->name;
    if (tensor->dtype && storage.item_bytes > 0) {
      std::int64_t bytes = 0;
      require(!__builtin_mul_overflow(storage.numel, storage.item_bytes, &bytes),
              "a storage beyond 64 bits");
      capacity = bytes / static_cast<std::int64_t>(item_size(*tensor->dtype));
    }
  } else if (storage.type.ends_with("UntypedStorage")) {
    tensor->dtype = DType::uint8;
    tensor->dtype_name = "uint8";
  }
  tensor->offset = *arguments[1]->integer();
  tensor->shape = integers(*arguments[2], "a tensor whose shape is none");
  tensor->strides = integers(*arguments[3], "a tensor whose strides are none");
  require(tensor->shape.size() == tensor->strides.size(), "a tensor with fewer strides than axes");
  const auto numel = checked_numel(tensor->shape);
  const auto extent = checked_extent(tensor->shape, tensor->strides);
  std::int64_t end = 0;
  const bool inside = numel && extent && tensor->offset >= 0 &&
                      !__builtin_add_overflow(tensor->offset, *extent, &end) &&
                      (end <= capacity || *extent == 0);
  if (!inside && tensor->dtype) {
    damaged("a tensor " + shape_text(tensor->shape) + " with strides " +
            shape_text(tensor->strides) + " and offset " + std::to_string(tensor->offset) +
            " reaches beyond its storage of " + std::to_string(capacity) + " items");
  }
  return make(PickleKind::tensor, std::move(tensor));
}

// A type: (version, byte order, ...). An array: (version, shape, type, Fortran order, data).
void PickleBuilder::build_numpy(PickleValue& value, const PickleValue& state) {
  const PickleItems& parts = state.items();
  if (value.is(PickleKind::dtype)) {
    require(state.is(PickleKind::tuple) && parts.size() >= 2, "a NumPy type with wrong state");
    const std::string_view order = parts[1]->raw();
    if (order.size() == 1)
      std::get<PickleValue::Held<PickleDType>>(value.content)->order = order[0];
    return;
  }
  require(state.is(PickleKind::tuple) && parts.size() == 5 && parts[2]->dtype() != nullptr,
          "a NumPy array with wrong state");
  PickleArray& array = *std::get<PickleValue::Held<PickleArray>>(value.content);
  array.shape = integers(*parts[1], "a NumPy array whose shape is none");
  require(checked_numel(array.shape).has_value(), "a NumPy array with an impossible shape");
  array.dtype = *parts[2]->dtype();
  array.fortran_order = parts[3]->integer().value_or(0) != 0;
  require(parts[4]->is(PickleKind::bytes) || parts[4]->is(PickleKind::list),
          "a NumPy array without data");
  array.data = parts[4];
}

// (data, type, shape, order): how protocol 5 writes arrays.
PickleValue* PickleBuilder::numpy_from_buffer(const PickleItems& arguments) {
  require(arguments.size() == 4 && arguments[0]->is(PickleKind::bytes) &&
              arguments[1]->dtype() != nullptr,
          "a NumPy array with wrong arguments");
  auto array = std::make_unique<PickleArray>();
  array->data = arguments[0];
  array->dtype = *arguments[1]->dtype();
  array->shape = integers(*arguments[2], "a NumPy array whose shape is none");
  require(checked_numel(array->shape).has_value(), "a NumPy array with an impossible shape");
  array->fortran_order = arguments[3]->text() == "F";
  return make(PickleKind::array, std::move(array));
}

// (type, bytes): becomes the number it is; of other types the bytes remain.
PickleValue* PickleBuilder::numpy_scalar(const PickleItems& arguments) {
  require(arguments.size() == 2 && arguments[0]->dtype() != nullptr,
          "a NumPy scalar with wrong arguments");
  const PickleDType& dtype = *arguments[0]->dtype();
  if (!arguments[1]->is(PickleKind::bytes)) return const_cast<PickleValue*>(arguments[1]);
  std::string data(arguments[1]->raw().substr(0, 8));
  if (dtype.order == '>') data.assign(data.rbegin(), data.rend());
  const auto as = [&]<class T>(T value) -> std::optional<T> {
    if (data.size() != sizeof(T)) return std::nullopt;
    std::memcpy(&value, data.data(), sizeof(T));
    return value;
  };
  const std::string_view code = dtype.code;
  if (code == "f8") {
    if (const auto value = as(double{})) return make(PickleKind::real, *value);
  } else if (code == "f4") {
    if (const auto value = as(float{})) return make(PickleKind::real, static_cast<double>(*value));
  } else if (code == "f2") {
    if (const auto value = as(std::uint16_t{})) {
      return make(PickleKind::real, static_cast<double>(float16_to_float32(*value)));
    }
  } else if (code == "b1") {
    if (const auto value = as(std::uint8_t{})) {
      return make(PickleKind::boolean, std::int64_t{*value != 0});
    }
  } else if (code.size() == 2 && (code[0] == 'i' || code[0] == 'u')) {
    require(data.size() == static_cast<std::size_t>(code[1] - '0'), "a NumPy scalar of wrong size");
    if (code[0] == 'u') data += '\0';
    return integer_of(data);
  } else {
    charge(arguments[1]->raw().size());
    return bytes(arguments[1]->raw());
  }
  damaged("a NumPy scalar of wrong size");
}

}  // namespace grasppanda::io
