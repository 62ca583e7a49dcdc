// A warp takes one row and 32 columns. A lane looks at the bounds of its pair; then the whole warp
// counts the samples of one pair after the other, 32 at a time.
#include "lib/ops/rotated/box_frames_cuda.h"
#include "lib/ops/rotated/cuda_interface.h"
#include "lib/ops/rotated/sampled_point.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kWarpsOfBlock = kItemThreads / kWarp;

struct SampledRows {
  const float* rows;
  std::int64_t count;
  SampledBox* made;
};

__global__ void __launch_bounds__(kItemThreads) make_sampled(SampledRows b) {
  const std::int64_t i = item_of_thread();
  if (i >= b.count) return;
  const float* row = b.rows + 5 * i;
  b.made[i] = sampled_box(row[0], row[1], row[2], row[3], row[4]);
}

Failure make_sampled_boxes(const GrasppandaCudaPlace& place, const float* rows, std::int64_t count,
                           SampledBox* made) {
  if (count == 0) return nullptr;
  return launch(place, make_sampled, blocks_for_items(count), kItemThreads,
                SampledRows{rows, count, made});
}

/// The work of this warp.
__device__ std::int64_t item_of_warp() {
  return std::int64_t{blockIdx.x} * kWarpsOfBlock + threadIdx.x / kWarp;
}
unsigned blocks_for_warps(std::int64_t warps) {
  return static_cast<unsigned>((warps + kWarpsOfBlock - 1) / kWarpsOfBlock);
}

/// How many samples of `of` lie in `in`. The whole warp takes part and knows the answer.
__device__ unsigned samples_inside(const SampledBox& of, const SampledBox& in, unsigned grid) {
  const unsigned samples = grid * grid;
  unsigned count = 0;
  for (unsigned base = 0; base < samples; base += kWarp) {
    const unsigned k = base + threadIdx.x % kWarp;
    const bool inside = k < samples && holds_point(in, sampled_point(of, grid_value(k % grid, grid),
                                                                     grid_value(k / grid, grid)));
    count += static_cast<unsigned>(__popc(static_cast<int>(__ballot_sync(kAllLanes, inside))));
  }
  return count;
}

__device__ float sampled_overlap(const SampledBox& a, const SampledBox& b, unsigned grid) {
  const auto of_a = static_cast<float>(samples_inside(a, b, grid));
  const auto of_b = static_cast<float>(samples_inside(b, a, grid));
  return sampled_ratio(a, b, of_a, of_b, static_cast<float>(grid * grid));
}

/// Calls `measured(overlap)` on the lane of every pair that is `wanted`; `first(lane)` and
/// `second(lane)` are its boxes.
template <class First, class Second, class Measured>
__device__ void measure_pairs(bool wanted, const First& first, const Second& second, unsigned grid,
                              const Measured& measured) {
  for (unsigned open = __ballot_sync(kAllLanes, wanted); open != 0; open &= open - 1) {
    const int lane = __ffs(static_cast<int>(open)) - 1;
    const SampledBox a = first(lane), b = second(lane);
    const float overlap = sampled_overlap(a, b, grid);
    if (lane == static_cast<int>(threadIdx.x % kWarp)) measured(overlap);
  }
}

struct SampledTable {
  const SampledBox *first, *second;
  std::int64_t n, m;
  unsigned grid;
  float* out;
};

__global__ void __launch_bounds__(kItemThreads) fill_sampled_table(SampledTable t) {
  const std::int64_t across = (t.m + kWarp - 1) / kWarp, item = item_of_warp();
  if (item >= t.n * across) return;
  const std::int64_t row = item / across, begin = item % across * kWarp;
  const std::int64_t column = begin + threadIdx.x % kWarp;
  const bool there = column < t.m;
  float ratio = 0;
  measure_pairs(
      there && bounds_meet(t.first[row], t.second[column]), [&](int) { return t.first[row]; },
      [&](int lane) { return t.second[begin + lane]; }, t.grid,
      [&](float overlap) { ratio = overlap; });
  if (there) t.out[row * t.m + column] = ratio;
}

__global__ void __launch_bounds__(kItemThreads) fill_sampled_pairs(SampledTable t) {
  const std::int64_t begin = item_of_warp() * kWarp;
  if (begin >= t.n) return;
  const std::int64_t i = begin + threadIdx.x % kWarp;
  float ratio = 0;
  measure_pairs(
      i < t.n && bounds_meet(t.first[i], t.second[i]),
      [&](int lane) { return t.first[begin + lane]; },
      [&](int lane) { return t.second[begin + lane]; }, t.grid,
      [&](float overlap) { ratio = overlap; });
  if (i < t.n) t.out[i] = ratio;
}

struct SampledMask {
  const SampledBox* boxes;
  std::int64_t n;
  unsigned grid;
  float threshold, least_bound;
  std::uint32_t* mask;
};

__global__ void __launch_bounds__(kItemThreads) fill_mask(SampledMask m) {
  const std::int64_t across = (m.n + kWarp - 1) / kWarp, item = item_of_warp();
  if (item >= m.n * across) return;
  const std::int64_t i = item / across, begin = item % across * kWarp;
  const std::int64_t j = begin + threadIdx.x % kWarp;
  bool gone = false;
  measure_pairs(
      j > i && j < m.n && bounds_may_suppress(m.boxes[i], m.boxes[j], m.least_bound),
      [&](int) { return m.boxes[i]; }, [&](int lane) { return m.boxes[begin + lane]; }, m.grid,
      [&](float overlap) { gone = overlap > m.threshold; });
  const unsigned word = __ballot_sync(kAllLanes, gone);
  if (threadIdx.x % kWarp == 0) m.mask[item] = word;
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_sampled_iou(GrasppandaCudaPlace place, GrasppandaSampledCall call) {
  using namespace grasppanda::ops;
  using namespace grasppanda::ops::device;
  if (call.n == 0 || call.m == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* made = static_cast<SampledBox*>(call.made);
  if (const Failure failure = make_sampled_boxes(place, call.boxes1, call.n, made)) return failure;
  if (const Failure failure = make_sampled_boxes(place, call.boxes2, call.m, made + call.n))
    return failure;
  const SampledTable table{made, made + call.n, call.n, call.m, call.grid, call.ratios};
  const std::int64_t across = (call.m + kWarp - 1) / kWarp;
  return call.aligned
             ? launch(place, fill_sampled_pairs, blocks_for_warps(across), kItemThreads, table)
             : launch(place, fill_sampled_table, blocks_for_warps(call.n * across), kItemThreads,
                      table);
}

const char* grasppanda_cuda_sampled_mask(GrasppandaCudaPlace place,
                                         GrasppandaSampledMaskCall call) {
  using namespace grasppanda::ops;
  using namespace grasppanda::ops::device;
  if (call.n == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* made = static_cast<SampledBox*>(call.made);
  if (const Failure failure = make_sampled_boxes(place, call.boxes, call.n, made)) return failure;
  const std::int64_t warps = call.n * ((call.n + kWarp - 1) / kWarp);
  return launch(place, fill_mask, blocks_for_warps(warps), kItemThreads,
                SampledMask{made, call.n, call.grid, call.threshold, call.least_bound, call.mask});
}
