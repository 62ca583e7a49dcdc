// Row-major copies of arrays that lie otherwise: Fortran order, views with strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace grasppanda::io {

/// Product of the extents, or nothing: an extent is negative, or the product of those that are not
/// zero leaves 64 bits (so that no later product of extents can).
std::optional<std::int64_t> checked_numel(std::span<const std::int64_t> shape);

/// Items from the first to the last that a view touches, both included; 0 for an empty view.
/// Nothing when a stride is negative or the span leaves 64 bits.
std::optional<std::int64_t> checked_extent(std::span<const std::int64_t> shape,
                                           std::span<const std::int64_t> strides);

/// Strides are those of a row-major array (those of axes with one item do not matter).
bool is_row_major(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// Copies a view to row-major order. `strides` in items; `to` has room for all of them. The caller
/// has checked the extent.
void copy_strided(const std::byte* from, std::byte* to, std::span<const std::int64_t> shape,
                  std::span<const std::int64_t> strides, std::size_t item_size);

}  // namespace grasppanda::io
