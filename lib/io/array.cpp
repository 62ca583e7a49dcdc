#include "lib/io/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "lib/io/float16.h"
#include "lib/io/mapped_file.h"
#include "lib/io/strided.h"

namespace grasppanda::io {

static_assert(std::endian::native == std::endian::little,
              "arrays are used as they lie in files, which is little endian");

namespace {

struct DTypeRow {
  std::string_view name;
  std::size_t size;
};
// In the order of DType.
constexpr DTypeRow kDTypes[] = {{"bool", 1},   {"uint8", 1},   {"int8", 1},     {"uint16", 2},
                                {"int16", 2},  {"uint32", 4},  {"int32", 4},    {"uint64", 8},
                                {"int64", 8},  {"float16", 2}, {"bfloat16", 2}, {"float32", 4},
                                {"float64", 8}};

// Calls visit(value of item i) in the type that lies in the array (16-bit floats as float).
template <class Visit>
void for_each_item(const Array& array, Visit visit) {
  const std::byte* at = array.data.get();
  const std::int64_t count = array.numel();
  const auto run = [&]<class T>(auto convert, T) {
    for (std::int64_t i = 0; i < count; ++i, at += sizeof(T)) {
      T value;
      std::memcpy(&value, at, sizeof(T));
      visit(convert(value));
    }
  };
  const auto same = [](auto value) { return value; };
  switch (array.dtype) {
    case DType::boolean:
      return run([](std::uint8_t v) { return std::uint8_t{v != 0}; }, std::uint8_t{});
    case DType::uint8:
      return run(same, std::uint8_t{});
    case DType::int8:
      return run(same, std::int8_t{});
    case DType::uint16:
      return run(same, std::uint16_t{});
    case DType::int16:
      return run(same, std::int16_t{});
    case DType::uint32:
      return run(same, std::uint32_t{});
    case DType::int32:
      return run(same, std::int32_t{});
    case DType::uint64:
      return run(same, std::uint64_t{});
    case DType::int64:
      return run(same, std::int64_t{});
    case DType::float16:
      return run(float16_to_float32, std::uint16_t{});
    case DType::bfloat16:
      return run(bfloat16_to_float32, std::uint16_t{});
    case DType::float32:
      return run(same, float{});
    case DType::float64:
      return run(same, double{});
  }
}

template <class T>
std::int64_t integer_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double wide = value;
    // 2^63 itself is not an int64; the comparison is false for NaN.
    if (!(wide >= -0x1p63 && wide < 0x1p63) || std::trunc(wide) != wide) {
      throw std::invalid_argument("an integer is wanted, got " + std::to_string(wide));
    }
    return static_cast<std::int64_t>(wide);
  } else {
    if (!std::in_range<std::int64_t>(value)) {
      throw std::invalid_argument("the integer " + std::to_string(value) + " leaves 64 bits");
    }
    return static_cast<std::int64_t>(value);
  }
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].name;
}
std::size_t item_size(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].size;
}

std::int64_t Array::numel() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

void Array::require_dtype(DType wanted) const {
  if (dtype != wanted) {
    throw std::invalid_argument("the array holds " + std::string(dtype_name(dtype)) + ", " +
                                std::string(dtype_name(wanted)) + " is wanted");
  }
}

Array make_array(DType dtype, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
  const auto numel = checked_numel(shape);
  if (!numel || static_cast<std::uint64_t>(*numel) != bytes.size() / item_size(dtype) ||
      bytes.size() % item_size(dtype) != 0) {
    throw std::invalid_argument("an array of " + std::string(dtype_name(dtype)) + " " +
                                shape_text(shape) + " cannot have " + std::to_string(bytes.size()) +
                                " bytes");
  }
  auto memory = allocate_bytes(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  Array array;
  array.dtype = dtype;
  array.shape = std::move(shape);
  array.data = std::move(memory);
  return array;
}

std::vector<double> to_float64(const Array& array) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(array.numel()));
  for_each_item(array, [&](auto value) { values.push_back(static_cast<double>(value)); });
  return values;
}

std::vector<std::int64_t> to_int64(const Array& array) {
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(array.numel()));
  for_each_item(array, [&](auto value) { values.push_back(integer_of(value)); });
  return values;
}

std::int64_t count_not_finite(const Array& array) {
  std::int64_t count = 0;
  for_each_item(array, [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) count += !std::isfinite(value);
  });
  return count;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  if (shape.size() == 1) text += ",";
  return text + ")";
}

std::string describe(const Array& array) {
  return std::string(dtype_name(array.dtype)) + " " + shape_text(array.shape);
}

}  // namespace grasppanda::io
