// An n-dimensional array as it lies in a file: type, shape, row-major little-endian bytes.
// The io room speaks in these; who wants a tensor wraps the bytes without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::io {

enum class DType : std::uint8_t {
  boolean, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32,
  float64
};

/// "float32", "int64", "bool", ... (NumPy's and PyTorch's names).
std::string_view dtype_name(DType dtype);
std::size_t item_size(DType dtype);

template <class T>
constexpr DType dtype_of();
template <> constexpr DType dtype_of<bool>() { return DType::boolean; }
template <> constexpr DType dtype_of<std::uint8_t>() { return DType::uint8; }
template <> constexpr DType dtype_of<std::int8_t>() { return DType::int8; }
template <> constexpr DType dtype_of<std::uint16_t>() { return DType::uint16; }
template <> constexpr DType dtype_of<std::int16_t>() { return DType::int16; }
template <> constexpr DType dtype_of<std::uint32_t>() { return DType::uint32; }
template <> constexpr DType dtype_of<std::int32_t>() { return DType::int32; }
template <> constexpr DType dtype_of<std::uint64_t>() { return DType::uint64; }
template <> constexpr DType dtype_of<std::int64_t>() { return DType::int64; }
template <> constexpr DType dtype_of<float>() { return DType::float32; }
template <> constexpr DType dtype_of<double>() { return DType::float64; }

/// Immutable; copies share the bytes (heap memory or a mapped file, which stays mapped as long as
/// any array points into it). `data` is aligned to the item size.
struct Array {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;          // {} is a scalar
  std::shared_ptr<const std::byte> data;    // numel() * item_size(dtype) bytes; may be null if empty
  bool is_text = false;                     // uint8, one axis: the UTF-8 bytes of a text

  std::int64_t numel() const;
  std::size_t byte_size() const { return static_cast<std::size_t>(numel()) * item_size(dtype); }
  std::span<const std::byte> bytes() const { return {data.get(), byte_size()}; }

  /// The items as T. Throws std::invalid_argument when the dtype is not T's.
  template <class T>
  std::span<const T> as() const {
    require_dtype(dtype_of<T>());
    return {reinterpret_cast<const T*>(data.get()), static_cast<std::size_t>(numel())};
  }

 private:
  void require_dtype(DType wanted) const;
};

/// An array that owns a copy of `bytes`. Throws std::invalid_argument if shape and size disagree.
Array make_array(DType dtype, std::vector<std::int64_t> shape, std::span<const std::byte> bytes);

template <class T>
Array make_array(std::vector<std::int64_t> shape, std::span<const T> values) {
  return make_array(dtype_of<T>(), std::move(shape), std::as_bytes(values));
}
template <class T>
Array make_array(std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return make_array(std::move(shape), std::span<const T>(values));
}

/// Every item as double, whatever its type (int64 beyond 2^53 is rounded; float16, bfloat16 exact).
std::vector<double> to_float64(const Array& array);
/// Every item as int64. Throws std::invalid_argument for a value that is no integer.
std::vector<std::int64_t> to_int64(const Array& array);
/// Items that are NaN or infinite.
std::int64_t count_not_finite(const Array& array);
/// "float32 (3, 4)".
std::string describe(const Array& array);
std::string shape_text(std::span<const std::int64_t> shape);   // "(3, 4)", "()"

}  // namespace grasppanda::io
