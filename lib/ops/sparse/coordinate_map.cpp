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
  if (coords.size(0) > kLargestPosition)
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

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

/// Position in steps of the tensor stride.
Coordinate in_steps(const Coordinate& where, std::int32_t stride) {
  return {where.batch, where.x / stride, where.y / stride, where.z / stride};
}

Coordinate brick_of(const Coordinate& cell) {
  return {cell.batch, cell.x >> 2, cell.y >> 2, cell.z >> 2};
}

std::int32_t place_in_brick(const Coordinate& cell) {
  return (cell.x & 3) + 4 * (cell.y & 3) + 16 * (cell.z & 3);
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
  if (tensor_stride < 1 || tensor_stride > kLargestPosition)
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(tensor_stride), "1 to 2^30");
  const std::vector<Coordinate> given = rows_of(checked_coords(coords));
  reserve(given.size());
  for (const Coordinate& c : given) {
    for (const std::int32_t value : {c.x, c.y, c.z}) {
      if (value < -kLargestPosition || value > kLargestPosition || value % tensor_stride != 0)
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
  places_.reserve(rows);
  slots_.assign(64, Slot{});
}

// At most half full: a search for what is not there ends after one or two slots.
void CoordinateMap::grow() {
  if (2 * (bricks_.size() + 1) <= slots_.size()) return;
  slots_.assign(2 * slots_.size(), Slot{});
  const std::uint64_t mask = slots_.size() - 1;
  for (std::size_t brick = 0; brick < brick_at_.size(); ++brick) {
    const std::uint64_t hash = hash_of(brick_at_[brick]);
    std::uint64_t slot = hash & mask;
    while (slots_[slot].brick >= 0) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<std::int32_t>(brick)};
  }
}

std::int32_t CoordinateMap::find_brick(const Coordinate& brick) const {
  const std::uint64_t hash = hash_of(brick), mask = slots_.size() - 1;
  for (std::uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const Slot& held = slots_[slot];
    if (held.brick < 0) return -1;
    if (held.tag == tag_of(hash) && brick_at_[static_cast<std::size_t>(held.brick)] == brick)
      return held.brick;
  }
}

CoordinateMap::Place CoordinateMap::place_of(const Coordinate& where) {
  const Coordinate cell = in_steps(where, tensor_stride_), at = brick_of(cell);
  // Rows that follow each other mostly lie in one brick.
  std::int32_t brick = places_.empty() ? -1 : places_.back().brick;
  if (brick < 0 || brick_at_[static_cast<std::size_t>(brick)] != at) brick = find_brick(at);
  if (brick < 0) {
    grow();
    const std::uint64_t hash = hash_of(at), mask = slots_.size() - 1;
    std::uint64_t slot = hash & mask;
    while (slots_[slot].brick >= 0) slot = (slot + 1) & mask;
    brick = static_cast<std::int32_t>(bricks_.size());
    slots_[slot] = {tag_of(hash), brick};
    brick_at_.push_back(at);
    bricks_.emplace_back().fill(-1);
  }
  return {brick, place_in_brick(cell)};
}

std::int32_t CoordinateMap::insert(const Coordinate& where) {
  const Place place = place_of(where);
  std::int32_t& row =
      bricks_[static_cast<std::size_t>(place.brick)][static_cast<std::size_t>(place.cell)];
  if (row < 0) {
    row = static_cast<std::int32_t>(rows_.size());
    rows_.push_back(where);
    places_.push_back(place);
  }
  return row;
}

std::int32_t CoordinateMap::find(const Coordinate& where) const {
  for (const std::int32_t value : {where.x, where.y, where.z})
    if (value % tensor_stride_ != 0) return -1;
  const Coordinate cell = in_steps(where, tensor_stride_);
  const std::int32_t brick = find_brick(brick_of(cell));
  return brick < 0 ? -1
                   : bricks_[static_cast<std::size_t>(brick)]
                            [static_cast<std::size_t>(place_in_brick(cell))];
}

std::vector<std::array<std::int32_t, 27>> CoordinateMap::brick_neighbours() const {
  const auto nothing = static_cast<std::int32_t>(bricks_.size());
  std::vector<std::array<std::int32_t, 27>> neighbours(bricks_.size());
  for (auto& around : neighbours) around.fill(nothing);
  // Half of them are looked for; the others are the same pairs from the other side.
  for (std::int32_t brick = 0; brick < nothing; ++brick) {
    auto& around = neighbours[static_cast<std::size_t>(brick)];
    around[13] = brick;
    const Coordinate& at = brick_at_[static_cast<std::size_t>(brick)];
    for (std::int32_t n = 0; n < 13; ++n) {
      const std::int32_t found =
          find_brick({at.batch, at.x + n % 3 - 1, at.y + n / 3 % 3 - 1, at.z + n / 9 - 1});
      if (found < 0) continue;
      around[static_cast<std::size_t>(n)] = found;
      neighbours[static_cast<std::size_t>(found)][static_cast<std::size_t>(26 - n)] = brick;
    }
  }
  return neighbours;
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
