#include "lib/io/strided.h"

#include <cstring>
#include <vector>

namespace grasppanda::io {

std::optional<std::int64_t> checked_numel(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, extent, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::optional<std::int64_t> checked_extent(std::span<const std::int64_t> shape,
                                           std::span<const std::int64_t> strides) {
  std::int64_t last = 0;
  bool empty = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t reach = 0;
    if (strides[axis] < 0 || shape[axis] < 0) return std::nullopt;
    if (shape[axis] == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach) ||
               __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  if (empty) return 0;
  if (__builtin_add_overflow(last, std::int64_t{1}, &last)) return std::nullopt;
  return last;
}

bool is_row_major(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  std::int64_t expected = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

void copy_strided(const std::byte* from, std::byte* to, std::span<const std::int64_t> shape,
                  std::span<const std::int64_t> strides, std::size_t item_size) {
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  if (shape.empty()) {
    std::memcpy(to, from, item_size);
    return;
  }
  const std::size_t inner = shape.size() - 1;
  const std::ptrdiff_t step = strides[inner] * static_cast<std::ptrdiff_t>(item_size);
  const bool dense = strides[inner] == 1;
  const std::size_t row_bytes = static_cast<std::size_t>(shape[inner]) * item_size;
  std::vector<std::int64_t> index(inner, 0);
  for (;;) {
    const std::byte* row = from;
    for (std::size_t axis = 0; axis < inner; ++axis) {
      row += index[axis] * strides[axis] * static_cast<std::ptrdiff_t>(item_size);
    }
    if (dense) {
      std::memcpy(to, row, row_bytes);
      to += row_bytes;
    } else {
      for (std::int64_t item = 0; item < shape[inner]; ++item, row += step, to += item_size) {
        std::memcpy(to, row, item_size);
      }
    }
    std::size_t axis = inner;
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace grasppanda::io
