// Bounds of sixteen boxes at a time rule out most pairs; those left are cut in vectors of pairs.
#include "lib/ops/rotated/rotated_iou_cpu.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/ops/rotated/box_table.h"
#include "lib/ops/rotated/overlap_pairs_cpu.h"

namespace grasppanda::ops {
namespace {

constexpr std::size_t kColumns = 1024;  // columns that are filtered at once
constexpr std::size_t kBatch = 256;     // pairs that are cut at once

/// Pairs that wait to be cut, and where their ratios belong.
template <class T>
class PendingPairs {
 public:
  PendingPairs(const std::vector<BoxFrame>& first, const std::vector<BoxFrame>& second,
               OverlapRatio ratio, T* out)
      : first_(first), second_(second), ratio_(ratio), out_(out) {}

  void add(std::uint32_t i, std::uint32_t j) {
    i_[count_] = i;
    j_[count_] = j;
    if (++count_ == kBatch) flush();
  }
  void flush() {
    overlap_pairs_cpu(first_.data(), i_.data(), second_.data(), j_.data(), count_, ratio_,
                      values_.data());
    for (std::size_t k = 0; k < count_; ++k)
      out_[i_[k] * second_.size() + j_[k]] = static_cast<T>(values_[k]);
    count_ = 0;
  }

 private:
  const std::vector<BoxFrame>& first_;
  const std::vector<BoxFrame>& second_;
  OverlapRatio ratio_;
  T* out_;
  std::size_t count_ = 0;
  std::array<std::uint32_t, kBatch> i_{}, j_{};
  std::array<double, kBatch> values_{};
};

}  // namespace

template <class T>
void rotated_iou_cpu(const std::vector<BoxFrame>& first, const std::vector<BoxFrame>& second,
                     OverlapRatio ratio, int threads, T* out) {
  const std::size_t n = first.size(), m = second.size();
  const OuterBounds rows = outer_bounds(first), columns = outer_bounds(second);
  const auto last = static_cast<std::ptrdiff_t>(n);
#pragma omp parallel num_threads(threads) if (threads > 1 && n * m > 20000)
  {
    PendingPairs<T> pending(first, second, ratio, out);
    std::array<std::uint32_t, kColumns> found;
#pragma omp for schedule(dynamic, 16)
    for (std::ptrdiff_t row = 0; row < last; ++row) {
      const auto i = static_cast<std::size_t>(row);
      std::fill(out + i * m, out + (i + 1) * m, T(0));
      for (std::size_t begin = 0; begin < m; begin += kColumns) {
        const std::size_t end = std::min(begin + kColumns, m);
        const std::size_t count = meeting_bounds_cpu(rows, i, columns, begin, end, found.data());
        for (std::size_t k = 0; k < count; ++k)
          pending.add(static_cast<std::uint32_t>(i), found[k]);
      }
    }
    pending.flush();
  }
}

template <class T>
void aligned_rotated_iou_cpu(const std::vector<BoxFrame>& first,
                             const std::vector<BoxFrame>& second, OverlapRatio ratio, int threads,
                             T* out) {
  const auto batches = static_cast<std::ptrdiff_t>((first.size() + kBatch - 1) / kBatch);
#pragma omp parallel for num_threads(threads) if (threads > 1 && first.size() > 4000)
  for (std::ptrdiff_t batch = 0; batch < batches; ++batch) {
    const std::size_t begin = static_cast<std::size_t>(batch) * kBatch;
    const std::size_t count = std::min(kBatch, first.size() - begin);
    std::array<std::uint32_t, kBatch> index;
    std::array<double, kBatch> values;
    for (std::size_t k = 0; k < count; ++k) index[k] = static_cast<std::uint32_t>(begin + k);
    overlap_pairs_cpu(first.data(), index.data(), second.data(), index.data(), count, ratio,
                      values.data());
    std::transform(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), out + begin,
                   [](double value) { return static_cast<T>(value); });
  }
}

template void rotated_iou_cpu(const std::vector<BoxFrame>&, const std::vector<BoxFrame>&,
                              OverlapRatio, int, float*);
template void rotated_iou_cpu(const std::vector<BoxFrame>&, const std::vector<BoxFrame>&,
                              OverlapRatio, int, double*);
template void aligned_rotated_iou_cpu(const std::vector<BoxFrame>&, const std::vector<BoxFrame>&,
                                      OverlapRatio, int, float*);
template void aligned_rotated_iou_cpu(const std::vector<BoxFrame>&, const std::vector<BoxFrame>&,
                                      OverlapRatio, int, double*);

}  // namespace grasppanda::ops
