// What the searches with one warp a query share on the device: which runs of the cloud to look at,
// and the list of hits. Included by *_cuda.cu only.
#pragma once

#include "lib/ops/launch_cuda.h"
#include "lib/ops/point/run_boxes_cuda.h"

namespace grasppanda::ops::device {

/// Warps of a block; each works on a query of its own.
constexpr unsigned kSearchThreads = 256;
constexpr unsigned kSearchWarps = kSearchThreads / kWarp;

/// The query of this warp, over all clouds; beyond the last for the warps that are left over.
__device__ inline std::int64_t query_of_warp() {
  return std::int64_t{blockIdx.x} * kSearchWarps + threadIdx.x / kWarp;
}
inline unsigned blocks_for_queries(std::int64_t queries) {
  return static_cast<unsigned>((queries + kSearchWarps - 1) / kSearchWarps);
}

__device__ inline unsigned lane_of_thread() {
  return threadIdx.x % kWarp;
}
/// Position of the lowest set bit.
__device__ inline unsigned lowest_bit(unsigned mask) {
  return static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
}
__device__ inline unsigned bits_below(unsigned lane) {
  return (1u << lane) - 1;
}
__device__ inline unsigned count_bits(unsigned mask) {
  return static_cast<unsigned>(__popc(static_cast<int>(mask)));
}

/// Calls `visit(first index)` in index order for every run that may hold a squared distance below
/// `limit` from `at`, until it returns false. The whole warp takes part.
template <class Visit>
__device__ void visit_runs_within(const RunBoxes& boxes, const float* at, float limit,
                                  const Visit& visit) {
  for (std::uint32_t base = 0; base < boxes.runs; base += kWarp) {
    const std::uint32_t run = base + lane_of_thread();
    const bool reached = run < boxes.runs && boxes.lower_bound(run, at) < limit;
    for (unsigned runs = __ballot_sync(kAllLanes, reached); runs != 0; runs &= runs - 1)
      if (!visit((base + lowest_bit(runs)) * kRun)) return;
  }
}

/// The slots of one query. Every lane of the warp holds the same state.
struct HitList {
  std::int64_t* index;
  std::int64_t nsample;
  std::int64_t filled;
  std::uint32_t first;

  __device__ bool complete() const { return filled == nsample; }
  /// Bit k of `hits`: point `base` + k.
  __device__ void take(unsigned hits, std::uint32_t base) {
    if (hits == 0) return;
    if (filled == 0) first = base + lowest_bit(hits);
    const unsigned lane = lane_of_thread();
    const std::int64_t slot = filled + count_bits(hits & bits_below(lane));
    if ((hits >> lane & 1u) != 0 && slot < nsample) index[slot] = base + lane;
    filled += count_bits(hits);
    if (filled > nsample) filled = nsample;
  }
  /// Unused slots repeat the first hit, or are 0 without one.
  __device__ void close(std::int64_t* count) const {
    const unsigned lane = lane_of_thread();
    for (std::int64_t slot = filled + lane; slot < nsample; slot += kWarp)
      index[slot] = filled > 0 ? first : 0;
    if (lane == 0) *count = filled;
  }
};

}  // namespace grasppanda::ops::device
