#include "lib/ops/point/run_boxes_cuda.h"

#include "lib/ops/launch_cuda.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kBoxThreads = 128;

struct Clouds {
  const float* support;
  std::int64_t clouds;
  std::uint32_t n, runs;
  float* boxes;
};

/// A warp for each run.
__global__ void __launch_bounds__(kBoxThreads) box_runs(Clouds c) {
  const std::int64_t item = (std::int64_t{blockIdx.x} * kBoxThreads + threadIdx.x) / kWarp;
  if (item >= c.clouds * c.runs) return;
  const unsigned lane = threadIdx.x % kWarp;
  const std::int64_t cloud = item / c.runs;
  const auto run = static_cast<std::uint32_t>(item % c.runs);
  const float* support = c.support + 3 * cloud * c.n;
  float* boxes = c.boxes + 6 * cloud * c.runs;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    float low = kInfinity, high = -kInfinity;
    for (std::uint32_t step = 0; step < kRun; step += kWarp) {
      const std::uint32_t i = run * kRun + step + lane;
      if (i >= c.n) continue;
      const float value = support[std::size_t{3} * i + axis];
      low = lesser(low, value);
      high = larger(high, value);
    }
    for (unsigned step = kWarp / 2; step > 0; step /= 2) {
      low = lesser(low, __shfl_xor_sync(kAllLanes, low, static_cast<int>(step)));
      high = larger(high, __shfl_xor_sync(kAllLanes, high, static_cast<int>(step)));
    }
    if (lane == 0) {
      boxes[axis * c.runs + run] = low;
      boxes[(3 + axis) * c.runs + run] = high;
    }
  }
}

}  // namespace

const char* make_run_boxes(const GrasppandaCudaPlace& place, const float* support,
                           std::int64_t clouds, std::int64_t n, float* boxes) {
  if (boxes == nullptr) return nullptr;
  const std::int64_t items = clouds * runs_of(n), per_block = kBoxThreads / kWarp;
  return launch(place, box_runs, static_cast<unsigned>((items + per_block - 1) / per_block),
                kBoxThreads,
                Clouds{support, clouds, static_cast<std::uint32_t>(n),
                       static_cast<std::uint32_t>(runs_of(n)), boxes});
}

}  // namespace grasppanda::ops::device

std::size_t grasppanda_cuda_search_scratch(std::int64_t clouds, std::int64_t n) {
  using namespace grasppanda::ops::device;
  if (n < kLeastBoxed) return 0;
  return static_cast<std::size_t>(6 * clouds * runs_of(n)) * sizeof(float);
}

const char* grasppanda_cuda_revision() {
  return GRASPPANDA_CUDA_REVISION;
}
