// Gather, product and scatter in one: a tile of output rows is held in registers while the rows of
// the input and a panel of weights stream past. Nothing is copied, nothing is allocated. Rows that
// are near in space should be near in order (curve_order): then the input rows that a block of
// output rows meets stay in the second-level cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/sparse/sparse_convolution_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/ops/sparse/sparse_convolution_cpu.h"

#ifndef GRASPPANDA_SPARSE_CONVOLUTION_SHARED
#define GRASPPANDA_SPARSE_CONVOLUTION_SHARED
namespace grasppanda::ops::sparse {

/// One panel of columns of output rows begin .. end - 1.
struct Task {
  std::int64_t begin, end, panel;
};

}  // namespace grasppanda::ops::sparse
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::sparse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;

constexpr std::size_t kLanes = hn::MaxLanes(F());
constexpr std::size_t kWidth = 2 * kLanes;  // columns of a tile: two vectors
// Rows of a tile: accumulators, two vectors of weights and one input must fit the registers, of
// which AVX-512 has 32.
constexpr int kTileRows = kLanes == 16 ? 14 : 6;

/// Rows of a tile: where they come from, what they start from and where they go.
struct Rows {
  const float* in[kTileRows];
  const float* start[kTileRows];  // out, or what is there before the first product
  float* out[kTileRows];
};

/// out[r] = start[r] + in[r][0 .. depth) * panel in kWidth columns, for kRows rows; ReLU behind it
/// when these are the only products of the rows. The panel has 32 columns.
template <int kRows>
HWY_NOINLINE void MultiplyTile(const Rows& rows, std::size_t column,
                               const float* HWY_RESTRICT panel, std::size_t depth, bool relu) {
  const F d;
  const float* row[kRows];
  hn::Vec<F> left[kRows], right[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = rows.in[r];
    left[r] = hn::LoadU(d, rows.start[r] + column);
    right[r] = hn::LoadU(d, rows.start[r] + column + kLanes);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const auto w_left = hn::LoadU(d, panel), w_right = hn::LoadU(d, panel + kLanes);
    panel += kPanelColumns;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const auto value = hn::Set(d, row[r][k]);
      left[r] = hn::MulAdd(value, w_left, left[r]);
      right[r] = hn::MulAdd(value, w_right, right[r]);
    }
  }
  if (relu) {  // NaN stays
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      left[r] = hn::IfThenZeroElse(hn::Lt(left[r], hn::Zero(d)), left[r]);
      right[r] = hn::IfThenZeroElse(hn::Lt(right[r], hn::Zero(d)), right[r]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    hn::StoreU(left[r], d, rows.out[r] + column);
    hn::StoreU(right[r], d, rows.out[r] + column + kLanes);
  }
}

/// The first `count` rows against a whole panel. Missing rows of a tile repeat the last one and
/// write to `nowhere`.
HWY_INLINE void MultiplyRows(Rows& rows, int count, float* nowhere, const float* panel,
                             std::size_t depth, bool relu) {
  constexpr int kStep = kTileRows == 14 ? 4 : 2;
  const int filled = std::min(kTileRows, (count + kStep - 1) / kStep * kStep);
  for (int r = count; r < filled; ++r) {
    rows.in[r] = rows.in[count - 1];
    rows.start[r] = rows.start[count - 1];
    rows.out[r] = nowhere;
  }
  for (std::size_t column = 0; column < kPanelColumns; column += kWidth) {
    const float* weights = panel + column;
    if (filled == kTileRows)
      MultiplyTile<kTileRows>(rows, column, weights, depth, relu);
    else if (filled == kStep)
      MultiplyTile<kStep>(rows, column, weights, depth, relu);
    else if (filled == 2 * kStep)
      MultiplyTile<2 * kStep>(rows, column, weights, depth, relu);
    else
      MultiplyTile<3 * kStep>(rows, column, weights, depth, relu);
  }
}

/// What the sums of a task start from.
void Start(const SparseProduct& p, const Task& task, std::int64_t column, std::int64_t columns) {
  for (std::int64_t row = task.begin; row < task.end; ++row) {
    float* out = p.out + row * p.out_stride + column;
    if (!p.add && p.bias == nullptr) {
      std::fill_n(out, columns, 0.0F);
    } else if (!p.add) {
      std::copy_n(p.bias + column, columns, out);
    } else if (p.bias != nullptr) {
      for (std::int64_t c = 0; c < columns; ++c) out[c] += p.bias[column + c];
    }
  }
}

void Relu(const SparseProduct& p, const Task& task, std::int64_t column, std::int64_t columns) {
  for (std::int64_t row = task.begin; row < task.end; ++row) {
    float* out = p.out + row * p.out_stride + column;
    for (std::int64_t c = 0; c < columns; ++c) out[c] = out[c] < 0 ? 0 : out[c];  // NaN stays
  }
}

void Run(const SparseProduct& p, const Task& task) {
  const std::int64_t column = task.panel * kPanelColumns;
  const std::int64_t columns = std::min(kPanelColumns, p.columns - column);
  const auto depth = static_cast<std::size_t>(p.depth);
  const std::int64_t panel_floats = p.depth * kPanelColumns;
  // Where a row has one product only, what it starts from and the ReLU need no pass of their own.
  const bool once = p.one_pair_a_row && columns == kPanelColumns && !(p.add && p.bias != nullptr);
  if (!once) Start(p, task, column, columns);
  Rows rows;
  HWY_ALIGN float nowhere[kPanelColumns] = {};
  HWY_ALIGN float narrow[kTileRows][kPanelColumns] = {};
  HWY_ALIGN float zeros[kPanelColumns] = {};
  const float* const first = p.bias != nullptr ? p.bias + column : zeros;
  for (std::int64_t j = 0; j < p.offsets; ++j) {
    const std::int32_t* all = p.out_row + p.first[j];
    const std::int32_t* end = p.out_row + p.first[j + 1];
    const std::int32_t* to = std::lower_bound(all, end, task.begin);
    const std::int32_t* last = std::lower_bound(to, end, task.end);
    const std::int32_t* from = p.in_row + (to - p.out_row);
    const float* panel = p.packed + (task.panel * p.offsets + j) * panel_floats;
    while (to != last) {
      const int count = static_cast<int>(std::min<std::int64_t>(kTileRows, last - to));
      for (int r = 0; r < count; ++r) {
        rows.in[r] = p.in + from[r] * p.in_stride;
        rows.out[r] = p.out + to[r] * p.out_stride + column;
        rows.start[r] = once && !p.add ? first : rows.out[r];
      }
      if (columns == kPanelColumns) {
        MultiplyRows(rows, count, nowhere, panel, depth, once && p.relu);
      } else {  // the last panel is wider than what is left of a row
        float* out[kTileRows];
        for (int r = 0; r < count; ++r) {
          out[r] = rows.out[r];
          std::copy_n(out[r], columns, narrow[r]);
          rows.start[r] = rows.out[r] = narrow[r];
        }
        MultiplyRows(rows, count, nowhere, panel, depth, false);
        for (int r = 0; r < count; ++r) std::copy_n(narrow[r], columns, out[r]);
      }
      from += count;
      to += count;
    }
  }
  if (p.relu && !once) Relu(p, task, column, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::sparse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace sparse {
namespace {

HWY_EXPORT(Run);

// Input rows of a block, with what surrounds it, and its slice of the output: with the weights on
// their way they should fit the second-level cache (1 MB and more on current machines). A plain
// product does not come back to its weights, and only its input rows are read again.
constexpr std::int64_t kBlockBytes = 512 * 1024, kPlainBlockBytes = 128 * 1024;

std::int64_t rows_of_block(const SparseProduct& p) {
  const std::int64_t row_bytes = 4 * (p.depth + kPanelColumns);
  const std::int64_t bytes = p.offsets == 1 ? kPlainBlockBytes : kBlockBytes;
  return std::clamp<std::int64_t>(bytes / row_bytes, 64, 2048);
}

}  // namespace
}  // namespace sparse

void sparse_convolution_cpu(const SparseProduct& p, int threads) {
  if (p.out_rows == 0 || p.columns == 0) return;
  if (!hwy::GetChosenTarget().IsInitialized())
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  using namespace sparse;
  const auto run = HWY_DYNAMIC_DISPATCH(Run);
  const std::int64_t panels = (p.columns + kPanelColumns - 1) / kPanelColumns;
  const std::int64_t most = rows_of_block(p);
  const std::int64_t blocks = (p.out_rows + most - 1) / most;
  const std::int64_t rows = (p.out_rows + blocks - 1) / blocks;
  const std::int64_t tasks = blocks * panels;
  if (threads < 1 || p.first[p.offsets] * p.depth * p.columns < 100000) threads = 1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
  for (std::int64_t t = 0; t < tasks; ++t) {
    const std::int64_t begin = t / panels * rows;
    run(p, {begin, std::min(begin + rows, p.out_rows), t % panels});
  }
}

}  // namespace grasppanda::ops
#endif
