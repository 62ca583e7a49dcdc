#include "lib/ops/sparse/coordinate_map.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "sparse_convolution";
constexpr std::int32_t kLargest = 1 << 30;

std::string text_of(const Coordinate& c) {
  std::string text;
  for (const std::int32_t value : {c.batch, c.x, c.y, c.z})
    text.append(text.empty() ? "(" : ", ").append(std::to_string(value));
  return text.append(")");
}

at::Tensor checked_coords(const at::Tensor& coords) {
  if (coords.dim() != 2 || coords.size(1) != 4)
    refuse_argument(kOp, "coords", "has shape " + shape_text(coords), "(N, 4)");
  if (coords.scalar_type() != at::kInt)
    refuse_argument(kOp, "coords", "is " + std::string(c10::toString(coords.scalar_type())),
                    "int32");
  if (coords.size(0) > kLargest)
    refuse_argument(kOp, "coords", "has " + std::to_string(coords.size(0)) + " rows",
                    "at most 2^30");
  return coords.detach().to(at::kCPU).contiguous();
}

std::vector<Coordinate> rows_of(const at::Tensor& coords) {
  std::vector<Coordinate> rows(static_cast<std::size_t>(coords.size(0)));
  static_assert(sizeof(Coordinate) == 4 * sizeof(std::int32_t));
  if (!rows.empty())
    std::memcpy(static_cast<void*>(rows.data()), coords.const_data_ptr(), coords.nbytes());
  return rows;
}

/// Bits 0 .. 20 of `value`, each three places from the last.
std::uint64_t spread(std::uint64_t value) {
  value &= 0x1fffff;
  value = (value | value << 32) & 0x1f00000000ffff;
  value = (value | value << 16) & 0x1f0000ff0000ff;
  value = (value | value << 8) & 0x100f00f00f00f00f;
  value = (value | value << 4) & 0x10c30c30c30c30c3;
  return (value | value << 2) & 0x1249249249249249;
}

}  // namespace

CoordinateMap::CoordinateMap(const at::Tensor& coords, std::int32_t tensor_stride)
    : tensor_stride_(tensor_stride) {
  if (tensor_stride < 1 || tensor_stride > kLargest)
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(tensor_stride), "1 to 2^30");
  const std::vector<Coordinate> given = rows_of(checked_coords(coords));
  reserve(given.size());
  for (const Coordinate& c : given) {
    for (const std::int32_t value : {c.x, c.y, c.z}) {
      if (value < -kLargest || value > kLargest || value % tensor_stride != 0)
        refuse_argument(
            kOp, "coords", "holds " + text_of(c) + " in row " + std::to_string(rows_.size()),
            "multiples of the tensor stride " + std::to_string(tensor_stride) + " within 2^30");
    }
    const auto before = static_cast<std::int32_t>(rows_.size());
    if (const std::int32_t row = insert(c); row != before)
      refuse_argument(kOp, "coords",
                      "holds " + text_of(c) + " in rows " + std::to_string(row) + " and " +
                          std::to_string(before),
                      "each coordinate once");
  }
}

at::Tensor CoordinateMap::coords() const {
  at::Tensor result = at::empty({size(), 4}, at::kInt);
  if (!rows_.empty()) std::memcpy(result.data_ptr(), rows_.data(), result.nbytes());
  return result;
}

void CoordinateMap::reserve(std::size_t rows) {
  rows_.reserve(rows);
  // At most half full: a search for what is not there ends after one or two slots.
  slots_.assign(std::bit_ceil(2 * std::max<std::size_t>(rows, 8)), Slot{});
  mask_ = slots_.size() - 1;
}

std::int32_t CoordinateMap::insert(const Coordinate& where) {
  const std::uint64_t hash = hash_of(where);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::uint64_t slot = hash & mask_;
  for (; slots_[slot].row >= 0; slot = (slot + 1) & mask_) {
    const Slot& held = slots_[slot];
    if (held.tag == tag && rows_[static_cast<std::size_t>(held.row)] == where) return held.row;
  }
  slots_[slot] = {tag, static_cast<std::int32_t>(rows_.size())};
  rows_.push_back(where);
  return slots_[slot].row;
}

at::Tensor curve_order(const at::Tensor& coords) {
  const std::vector<Coordinate> rows = rows_of(checked_coords(coords));
  std::array<std::int64_t, 3> low{}, high{};
  if (!rows.empty()) low = high = {rows[0].x, rows[0].y, rows[0].z};
  for (const Coordinate& c : rows) {
    const std::array<std::int64_t, 3> at = {c.x, c.y, c.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], at[axis]);
      high[axis] = std::max(high[axis], at[axis]);
    }
  }
  std::int64_t extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) extent = std::max(extent, high[axis] - low[axis]);
  // A key has 21 bits an axis; beyond that the curve is a little coarser. Cells are counted from a
  // multiple of 32, so that the blocks of every stride lie whole on the curve.
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent) + 32)) - 21);
  for (std::int64_t& value : low) value &= ~std::int64_t{31};

  std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto cell = [&](std::int32_t value, std::size_t axis) {
      return spread(static_cast<std::uint64_t>(value - low[axis]) >> shift);
    };
    keyed[i] = {cell(rows[i].x, 0) | cell(rows[i].y, 1) << 1 | cell(rows[i].z, 2) << 2,
                static_cast<std::int32_t>(i)};
  }
  std::sort(keyed.begin(), keyed.end());
  const bool one_batch =
      std::ranges::all_of(rows, [&](const Coordinate& c) { return c.batch == rows.front().batch; });
  if (!one_batch) {
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      return rows[static_cast<std::size_t>(a.second)].batch <
             rows[static_cast<std::size_t>(b.second)].batch;
    });
  }
  at::Tensor order = at::empty({static_cast<std::int64_t>(rows.size())}, at::kLong);
  std::ranges::transform(keyed, order.data_ptr<std::int64_t>(),
                         [](const auto& entry) { return std::int64_t{entry.second}; });
  return order;
}

}  // namespace grasppanda::ops
