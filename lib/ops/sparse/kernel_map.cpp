#include "lib/ops/sparse/kernel_map.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"
#include "lib/ops/kernel_threads.h"

namespace grasppanda::ops {

/// Makes the coordinates of the coarser level while the fine ones are walked.
struct CoordinateMapBuilder {
  static CoordinateMap empty(std::int32_t tensor_stride, std::size_t capacity) {
    CoordinateMap map;
    map.tensor_stride_ = tensor_stride;
    map.reserve(capacity);
    return map;
  }
  static std::int32_t insert(CoordinateMap& map, const Coordinate& where) {
    return map.insert(where);
  }
};

namespace {

constexpr std::string_view kOp = "sparse_convolution";
constexpr std::int32_t kNobody = -1;

struct Pairs {
  std::vector<std::int32_t> in, out;
};

/// Pairs (source[i], i) of all i that have a source; `i` ascends.
Pairs compact(const std::vector<std::int32_t>& source) {
  Pairs pairs{std::vector<std::int32_t>(source.size()), std::vector<std::int32_t>(source.size())};
  std::size_t count = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {  // without a branch: it could not be predicted
    pairs.in[count] = source[i];
    pairs.out[count] = static_cast<std::int32_t>(i);
    count += source[i] >= 0 ? 1 : 0;
  }
  pairs.in.resize(count);
  pairs.out.resize(count);
  return pairs;
}

SharedKernelMap join(const std::vector<Pairs>& offsets, std::int64_t in_rows,
                     std::int64_t out_rows) {
  auto map = std::make_shared<KernelMap>();
  map->in_rows = in_rows;
  map->out_rows = out_rows;
  map->first.assign(1, 0);
  for (const Pairs& pairs : offsets)
    map->first.push_back(map->first.back() + static_cast<std::int64_t>(pairs.in.size()));
  map->in = at::empty({map->pairs()}, at::kInt);
  map->out = at::empty({map->pairs()}, at::kInt);
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    std::ranges::copy(offsets[j].in, map->in.data_ptr<std::int32_t>() + map->first[j]);
    std::ranges::copy(offsets[j].out, map->out.data_ptr<std::int32_t>() + map->first[j]);
  }
  return map;
}

std::array<std::int32_t, 3> offset_of(std::int64_t j, std::int64_t size) {
  const std::int64_t centre = size % 2 == 1 ? (size - 1) / 2 : 0;
  return {static_cast<std::int32_t>(j % size - centre),
          static_cast<std::int32_t>(j / size % size - centre),
          static_cast<std::int32_t>(j / (size * size) - centre)};
}

/// floor(value / step) * step, step > 0.
std::int32_t floor_to(std::int32_t value, std::int32_t step) {
  const std::int32_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

/// The cell of a fine row, and its place in the cell as a kernel offset 0 .. 7.
struct Cell {
  Coordinate coarse;
  std::size_t offset;
};
Cell cell_of(const Coordinate& fine, std::int32_t fine_stride) {
  const std::int32_t step = 2 * fine_stride;
  const Coordinate coarse = {fine.batch, floor_to(fine.x, step), floor_to(fine.y, step),
                             floor_to(fine.z, step)};
  const auto upper = [](std::int32_t a, std::int32_t b) { return std::size_t{a != b}; };
  return {coarse,
          upper(fine.x, coarse.x) + 2 * upper(fine.y, coarse.y) + 4 * upper(fine.z, coarse.z)};
}

/// Both maps from the coarse row and the offset of every fine row.
Halving halving_of(const CoordinateMap& fine, std::shared_ptr<const CoordinateMap> coarse,
                   const std::vector<std::int32_t>& parent, const std::vector<Cell>& cells) {
  std::vector<Pairs> down(8), up(8);
  std::vector<std::int32_t> child(static_cast<std::size_t>(coarse->size()));
  for (std::size_t j = 0; j < 8; ++j) {
    std::ranges::fill(child, kNobody);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (cells[row].offset != j) continue;
      child[static_cast<std::size_t>(parent[row])] = static_cast<std::int32_t>(row);
      up[j].in.push_back(parent[row]);
      up[j].out.push_back(static_cast<std::int32_t>(row));
    }
    down[j] = compact(child);
  }
  const std::int64_t coarse_rows = coarse->size();
  return {std::move(coarse), join(down, fine.size(), coarse_rows),
          join(up, coarse_rows, fine.size())};
}

std::vector<Cell> cells_of(const CoordinateMap& fine) {
  if (fine.tensor_stride() > 1 << 28)
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(fine.tensor_stride()),
                    "at most 2^28 for a convolution of stride 2");
  std::vector<Cell> cells;
  cells.reserve(fine.rows().size());
  for (const Coordinate& row : fine.rows()) cells.push_back(cell_of(row, fine.tensor_stride()));
  return cells;
}

}  // namespace

at::Tensor kernel_offsets(std::int64_t size) {
  if (size != 1 && size != 2 && size != 3 && size != 5)
    refuse_argument(kOp, "kernel size", "is " + std::to_string(size), "1, 2, 3 or 5");
  at::Tensor offsets = at::empty({size * size * size, 3}, at::kInt);
  for (std::int64_t j = 0; j < offsets.size(0); ++j)
    std::ranges::copy(offset_of(j, size), offsets.data_ptr<std::int32_t>() + 3 * j);
  return offsets;
}

SharedKernelMap neighbour_map(const CoordinateMap& map, std::int64_t size) {
  if (size != 1 && size != 3 && size != 5)
    refuse_argument(kOp, "kernel size", "is " + std::to_string(size),
                    "1, 3 or 5 for a convolution of stride 1");
  const std::int64_t offsets = size * size * size, half = offsets / 2;
  const std::int32_t step = map.tensor_stride();
  if (step > 1 << 28)
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(step), "at most 2^28");
  const auto rows = static_cast<std::size_t>(map.size());
  std::vector<Pairs> pairs(static_cast<std::size_t>(offsets));
  const int threads = rows * static_cast<std::size_t>(offsets) < 20000 ? 1 : kernel_threads();
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    // Offset j and its mirror are found together: when u + offset is v, v - offset is u.
    std::vector<std::int32_t> source(rows), mirrored(rows);
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t j = 0; j <= half; ++j) {
      const auto [dx, dy, dz] = offset_of(j, size);
      if (j < half) std::ranges::fill(mirrored, kNobody);
      for (std::size_t u = 0; u < rows; ++u) {
        const Coordinate& at = map.rows()[u];
        const std::int32_t v =
            j == half ? static_cast<std::int32_t>(u)
                      : map.find({at.batch, at.x + dx * step, at.y + dy * step, at.z + dz * step});
        source[u] = v;
        if (v >= 0) mirrored[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(u);
      }
      pairs[static_cast<std::size_t>(j)] = compact(source);
      if (j < half) pairs[static_cast<std::size_t>(offsets - 1 - j)] = compact(mirrored);
    }
  }
  return join(pairs, map.size(), map.size());
}

SharedKernelMap pointwise_map(std::int64_t rows) {
  return pointwise_map(at::arange(rows, at::kLong));
}

SharedKernelMap pointwise_map(const at::Tensor& in_row) {
  auto map = std::make_shared<KernelMap>();
  map->in_rows = map->out_rows = in_row.size(0);
  map->first = {0, in_row.size(0)};
  map->in = in_row.to(at::kCPU, at::kInt).contiguous();
  map->out = at::arange(in_row.size(0), at::kInt);
  return map;
}

Halving halve(const CoordinateMap& fine) {
  const std::vector<Cell> cells = cells_of(fine);
  CoordinateMap coarse = CoordinateMapBuilder::empty(2 * fine.tensor_stride(), cells.size());
  std::vector<std::int32_t> parent;
  parent.reserve(cells.size());
  for (const Cell& cell : cells)
    parent.push_back(CoordinateMapBuilder::insert(coarse, cell.coarse));
  return halving_of(fine, std::make_shared<const CoordinateMap>(std::move(coarse)), parent, cells);
}

Halving halve(const CoordinateMap& fine, std::shared_ptr<const CoordinateMap> coarse) {
  if (coarse->tensor_stride() != 2 * fine.tensor_stride())
    refuse_argument(kOp, "tensor strides",
                    "are " + std::to_string(coarse->tensor_stride()) + " and " +
                        std::to_string(fine.tensor_stride()),
                    "the coarse one twice the fine one");
  const std::vector<Cell> cells = cells_of(fine);
  std::vector<std::int32_t> parent;
  parent.reserve(cells.size());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    parent.push_back(coarse->find(cells[row].coarse));
    if (parent.back() < 0)
      refuse_argument(kOp, "coarse coordinates", "lack the cell of fine row " + std::to_string(row),
                      "the cell of every row");
  }
  return halving_of(fine, std::move(coarse), parent, cells);
}

}  // namespace grasppanda::ops
