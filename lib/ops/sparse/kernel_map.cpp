#include "lib/ops/sparse/kernel_map.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"
#include "lib/ops/kernel_threads.h"
#include "lib/ops/sparse/neighbour_walk.h"

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
Pairs compact(const std::int32_t* source, std::size_t rows) {
  Pairs pairs;
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) count += source[i] >= 0 ? 1 : 0;
  // One place more than there are pairs: what follows the last pair is written there.
  pairs.in.resize(count + 1);
  pairs.out.resize(count + 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows; ++i) {  // without a branch: it could not be predicted
    pairs.in[next] = source[i];
    pairs.out[next] = static_cast<std::int32_t>(i);
    next += source[i] >= 0 ? 1 : 0;
  }
  pairs.in.pop_back();
  pairs.out.pop_back();
  return pairs;
}

/// The map of one size from a walk over the rows.
SharedKernelMap walked_map(const CoordinateMap& map, const NeighbourWalk& walk, std::int64_t size) {
  const auto offsets = static_cast<std::size_t>(size * size * size);
  const auto rows = static_cast<std::size_t>(map.size());
  const KernelReach& reach = KernelReach::of(size);
  // Each thread takes a run of rows, first to count and then to write: rows ascend in an offset.
  const int threads = rows * offsets < 20000 ? 1 : kernel_threads();
  const auto run_of = [&](int thread) {
    return rows * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
  };
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(threads));
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
  for (int thread = 0; thread < threads; ++thread) {
    std::vector<std::int64_t> counts(offsets, 0);
    for (std::size_t u = run_of(thread); u < run_of(thread + 1); ++u)
      walk.neighbours_of(u, reach, [&](std::size_t j, std::int32_t) { ++counts[j]; });
    places[static_cast<std::size_t>(thread)] = std::move(counts);
  }
  auto result = std::make_shared<KernelMap>();
  result->in_rows = result->out_rows = map.size();
  std::int64_t pairs = 0;
  for (std::size_t j = 0; j < offsets; ++j) {
    result->first.push_back(pairs);
    for (std::vector<std::int64_t>& of_thread : places) pairs += std::exchange(of_thread[j], pairs);
  }
  result->first.push_back(pairs);
  result->in = at::empty({pairs}, at::kInt);
  result->out = at::empty({pairs}, at::kInt);
  auto *in = result->in.data_ptr<std::int32_t>(), *out = result->out.data_ptr<std::int32_t>();
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
  for (int thread = 0; thread < threads; ++thread) {
    std::vector<std::int64_t>& next = places[static_cast<std::size_t>(thread)];
    for (std::size_t u = run_of(thread); u < run_of(thread + 1); ++u)
      walk.neighbours_of(u, reach, [&](std::size_t j, std::int32_t v) {
        in[next[j]] = v;
        out[next[j]++] = static_cast<std::int32_t>(u);
      });
  }
  return result;
}

std::shared_ptr<KernelMap> join(const std::vector<Pairs>& offsets, std::int64_t in_rows,
                                std::int64_t out_rows) {
  auto map = std::make_shared<KernelMap>();
  map->in_rows = in_rows;
  map->out_rows = out_rows;
  map->first.assign(1, 0);
  for (const Pairs& pairs : offsets)
    map->first.push_back(map->first.back() + static_cast<std::int64_t>(pairs.in.size()));
  map->in = at::empty({map->first.back()}, at::kInt);
  map->out = at::empty({map->first.back()}, at::kInt);
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    std::ranges::copy(offsets[j].in, map->in.data_ptr<std::int32_t>() + map->first[j]);
    std::ranges::copy(offsets[j].out, map->out.data_ptr<std::int32_t>() + map->first[j]);
  }
  return map;
}

/// The cell of a fine row, and its place in the cell as a kernel offset 0 .. 7.
struct Cell {
  Coordinate coarse;
  std::size_t offset;
};

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
    down[j] = compact(child.data(), child.size());
  }
  const std::int64_t coarse_rows = coarse->size();
  const auto up_map = join(up, coarse_rows, fine.size());
  up_map->one_pair_a_row = true;
  return {std::move(coarse), join(down, fine.size(), coarse_rows), up_map};
}

std::vector<Cell> cells_of(const CoordinateMap& fine) {
  if (fine.tensor_stride() > 1 << 28)
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(fine.tensor_stride()),
                    "at most 2^28 for a convolution of stride 2");
  std::vector<Cell> cells;
  cells.reserve(fine.rows().size());
  for (const Coordinate& row : fine.rows()) {
    const Coordinate cell = cell_of(row, 2 * fine.tensor_stride());
    cells.push_back({cell, static_cast<std::size_t>(place_in_cell(row, cell))});
  }
  return cells;
}

}  // namespace

at::Tensor kernel_offsets(std::int64_t size) {
  if (size != 1 && size != 2 && size != 3 && size != 5)
    refuse_argument(kOp, "kernel size", "is " + std::to_string(size), "1, 2, 3 or 5");
  at::Tensor offsets = at::empty({size * size * size, 3}, at::kInt);
  std::int32_t* values = offsets.data_ptr<std::int32_t>();
  for (std::int64_t j = 0; j < offsets.size(0); ++j) {
    const KernelOffset offset = kernel_offset(static_cast<int>(j), static_cast<int>(size));
    for (const std::int32_t value : {offset.x, offset.y, offset.z}) *values++ = value;
  }
  return offsets;
}

SharedKernelMap neighbour_map(const CoordinateMap& map, std::int64_t size) {
  return neighbour_maps(map, {size}).front();
}

std::vector<SharedKernelMap> neighbour_maps(const CoordinateMap& map,
                                            const std::vector<std::int64_t>& sizes) {
  for (const std::int64_t size : sizes)
    if (size != 1 && size != 3 && size != 5)
      refuse_argument(kOp, "kernel size", "is " + std::to_string(size),
                      "1, 3 or 5 for a convolution of stride 1");
  const NeighbourWalk walk(map);
  std::vector<SharedKernelMap> maps;
  for (const std::int64_t size : sizes) maps.push_back(walked_map(map, walk, size));
  return maps;
}

SharedKernelMap pointwise_map(std::int64_t rows) {
  return pointwise_map(at::arange(rows, at::kLong));
}

SharedKernelMap pointwise_map(const at::Tensor& in_row) {
  auto map = std::make_shared<KernelMap>();
  map->in_rows = map->out_rows = in_row.size(0);
  map->one_pair_a_row = true;
  if (in_row.is_cpu()) {
    map->first = {0, in_row.size(0)};
    map->in = in_row.to(at::kInt).contiguous();
    map->out = at::arange(in_row.size(0), at::kInt);
  } else {
    map->source = in_row.to(at::kInt).unsqueeze(0).contiguous();
  }
  return map;
}

OffsetPairs pairs_of(const KernelMap& map, std::int64_t offset) {
  if (map.source.defined()) {
    const at::Tensor in = map.source[offset], out = in.ge(0).nonzero().squeeze(1);
    return {in.index_select(0, out), out};
  }
  const std::int64_t begin = map.first[static_cast<std::size_t>(offset)];
  const std::int64_t count = map.first[static_cast<std::size_t>(offset) + 1] - begin;
  return {map.in.narrow(0, begin, count), map.out.narrow(0, begin, count)};
}

std::int64_t pair_count(const KernelMap& map) {
  return map.source.defined() ? map.source.ge(0).sum().item<std::int64_t>() : map.first.back();
}

at::Tensor source_table(const KernelMap& map, c10::Device device) {
  if (map.source.defined()) return map.source.to(device);
  at::Tensor table = at::full({map.offsets(), map.out_rows}, kNobody, at::kInt);
  auto* rows = table.data_ptr<std::int32_t>();
  const auto *in = map.in.const_data_ptr<std::int32_t>(),
             *out = map.out.const_data_ptr<std::int32_t>();
  for (std::int64_t j = 0; j < map.offsets(); ++j, rows += map.out_rows)
    for (std::int64_t pair = map.first[static_cast<std::size_t>(j)];
         pair < map.first[static_cast<std::size_t>(j) + 1]; ++pair)
      rows[out[pair]] = in[pair];
  return table.to(device);
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
