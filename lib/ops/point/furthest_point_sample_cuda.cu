// A cloud is spread over one block or several. Every thread keeps the running distances of its
// points, in registers where they fit. A sample is the largest key (running distance, preference)
// over all of them: within a warp, then a block, then, through one atomic maximum a sample, over
// the blocks of the cloud. The maximum does not care who comes first, so the result does not
// either.
#include "lib/ops/point/furthest_point_sample_cuda.h"

#include "lib/ops/launch_cuda.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kWarps = kThreads / kWarp;

struct Sampling {
  const float* points;
  std::uint32_t n;
  std::int64_t num_samples;
  bool skip_near_origin;
  PreferenceRank preference;
  unsigned blocks_per_cloud;
  Key* best;       // a slot for every sample of every cloud, 0 at the start
  Key* arrived;    // blocks that have given their best so far, for every cloud, likewise
  float* running;  // only where registers do not hold them
  std::int64_t* samples;
};

__device__ Key warp_largest(Key key) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (unsigned step = kWarp / 2; step > 0; step /= 2) {
    const Key other = __shfl_xor_sync(kAllLanes, key, static_cast<int>(step));
    key = other > key ? other : key;
  }
  return key;
#else
  const auto high = static_cast<std::uint32_t>(key >> 32);
  const std::uint32_t largest = __reduce_max_sync(kAllLanes, high);
  const std::uint32_t low = high == largest ? static_cast<std::uint32_t>(key) : 0;
  return key_of(largest, __reduce_max_sync(kAllLanes, low));
#endif
}

/// One barrier: `warps` is another array for the next sample, and every warp reduces for itself.
__device__ Key block_largest(Key key, Key* warps) {
  const unsigned lane = threadIdx.x % kWarp;
  key = warp_largest(key);
  if (lane == 0) warps[threadIdx.x / kWarp] = key;
  __syncthreads();
  return warp_largest(lane < kWarps ? warps[lane] : 0);
}

__device__ Key latest(const Key* value) {
  return *static_cast<const volatile Key*>(value);
}

/// The largest key over the blocks of a cloud; they wait for each other. One thread a block.
__device__ Key cloud_largest(const Sampling& s, unsigned cloud, std::int64_t sample, Key key) {
  Key* slot = s.best + cloud * s.num_samples + sample;
  atomicMax(slot, key);
  __threadfence();
  atomicAdd(s.arrived + cloud, Key{1});
  const Key all = static_cast<Key>(sample) * s.blocks_per_cloud;
  while (latest(s.arrived + cloud) < all) __nanosleep(20);
  __threadfence();
  return latest(slot);
}

__device__ float start_of(const Sampling& s, const float* p) {
  return s.skip_near_origin && near_origin(p) ? kNever : kInfinity;
}

__device__ float squared_distance(const float* p, float x, float y, float z) {
  return sum_left_to_right(square(subtract(p[0], x)), square(subtract(p[1], y)),
                           square(subtract(p[2], z)));
}

/// What all threads of a cloud do for one sample after another. `update(x, y, z)` applies a sample
/// to the points of the thread and returns their largest key.
template <class Update>
__device__ void sample_cloud(const Sampling& s, unsigned cloud, unsigned part, const float* points,
                             const Update& update) {
  __shared__ Key warps[2][kWarps];
  __shared__ Key winner[2];
  std::int64_t* samples = s.samples + cloud * s.num_samples;
  const bool speaks = part == 0 && threadIdx.x == 0;
  if (speaks) samples[0] = 0;
  std::uint32_t last = 0;
  for (std::int64_t sample = 1; sample < s.num_samples; ++sample) {
    const float* p = points + std::size_t{3} * last;
    const auto parity = static_cast<unsigned>(sample & 1);
    Key key = block_largest(update(p[0], p[1], p[2]), warps[parity]);
    if (s.blocks_per_cloud > 1) {
      if (threadIdx.x == 0) winner[parity] = cloud_largest(s, cloud, sample, key);
      __syncthreads();
      key = winner[parity];
    }
    last = key == 0 ? 0 : s.preference.index(rank_of(key));  // 0: nothing may be taken
    if (speaks) samples[sample] = last;
  }
}

template <int kPoints>
__global__ void __launch_bounds__(kThreads) sample_in_registers(Sampling s) {
  const unsigned cloud = blockIdx.x / s.blocks_per_cloud, part = blockIdx.x % s.blocks_per_cloud;
  const float* points = s.points + std::size_t{3} * s.n * cloud;
  const std::uint32_t first = part * kThreads + threadIdx.x, stride = kThreads * s.blocks_per_cloud;
  float at[kPoints][3], running[kPoints];
  GRASPPANDA_UNROLL
  for (int k = 0; k < kPoints; ++k) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k) * stride;
    const bool there = i < s.n;
    for (int c = 0; c < 3; ++c) at[k][c] = there ? points[std::size_t{3} * i + c] : 0;
    running[k] = there ? start_of(s, at[k]) : kNever;
  }
  sample_cloud(s, cloud, part, points, [&](float x, float y, float z) {
    Key best = 0;
    GRASPPANDA_UNROLL
    for (int k = 0; k < kPoints; ++k) {
      if (running[k] < 0) continue;
      running[k] = updated(running[k], squared_distance(at[k], x, y, z));
      const std::uint32_t i = first + static_cast<std::uint32_t>(k) * stride;
      const Key key = sampling_key(running[k], s.preference.of_index(i));
      best = key > best ? key : best;
    }
    return best;
  });
}

__global__ void __launch_bounds__(kThreads) sample_in_memory(Sampling s) {
  const unsigned cloud = blockIdx.x / s.blocks_per_cloud, part = blockIdx.x % s.blocks_per_cloud;
  const float* points = s.points + std::size_t{3} * s.n * cloud;
  float* running = s.running + std::size_t{s.n} * cloud;
  const std::uint32_t first = part * kThreads + threadIdx.x, stride = kThreads * s.blocks_per_cloud;
  for (std::uint32_t i = first; i < s.n; i += stride)
    running[i] = start_of(s, points + std::size_t{3} * i);
  sample_cloud(s, cloud, part, points, [&](float x, float y, float z) {
    Key best = 0;
    for (std::uint32_t i = first; i < s.n; i += stride) {
      const float before = running[i];
      if (before < 0) continue;
      const float value = updated(before, squared_distance(points + std::size_t{3} * i, x, y, z));
      running[i] = value;
      const Key key = sampling_key(value, s.preference.of_index(i));
      best = key > best ? key : best;
    }
    return best;
  });
}

using Kernel = void (*)(Sampling);

/// How a cloud is spread. Waiting for other blocks costs more than a few points a thread, so a
/// cloud that one block holds in registers gets one block.
struct Plan {
  Kernel kernel;
  unsigned blocks_per_cloud;
};

unsigned blocks_for(std::int64_t n, int points_per_thread) {
  const std::int64_t points = std::int64_t{kThreads} * points_per_thread;
  return static_cast<unsigned>((n + points - 1) / points);
}

Plan plan_sampling(const GrasppandaCudaPlace& place, std::int64_t clouds, std::int64_t n) {
  const Plan in_registers[] = {{sample_in_registers<1>, blocks_for(n, 1)},
                               {sample_in_registers<4>, blocks_for(n, 4)},
                               {sample_in_registers<16>, blocks_for(n, 16)}};
  for (const Plan& plan : in_registers)
    if (plan.blocks_per_cloud == 1) return plan;
  for (const Plan& plan : {in_registers[1], in_registers[2]})
    if (plan.blocks_per_cloud * clouds <= most_blocks_together(place, plan.kernel, kThreads))
      return plan;
  const std::int64_t share = most_blocks_together(place, sample_in_memory, kThreads) / clouds;
  const std::int64_t useful = blocks_for(n, 4);
  return {sample_in_memory, static_cast<unsigned>(share < 1 ? 1 : share < useful ? share : useful)};
}

Failure run(const GrasppandaCudaPlace& place, Sampling s, std::int64_t clouds, const Plan& plan) {
  s.blocks_per_cloud = plan.blocks_per_cloud;
  const auto blocks = static_cast<unsigned>(plan.blocks_per_cloud * clouds);
  if (plan.blocks_per_cloud == 1) return launch(place, plan.kernel, blocks, kThreads, s);
  const std::size_t slots = static_cast<std::size_t>(clouds * (s.num_samples + 1));
  if (const Failure failure = clear(place, s.best, slots * sizeof(Key))) return failure;
  return launch_together(place, plan.kernel, blocks, kThreads, s);
}

}  // namespace
}  // namespace grasppanda::ops::device

std::size_t grasppanda_cuda_sampling_scratch(std::int64_t clouds, std::int64_t n,
                                             std::int64_t num_samples) {
  using grasppanda::ops::device::Key;
  return static_cast<std::size_t>(clouds) *
         (static_cast<std::size_t>(num_samples + 1) * sizeof(Key) +
          static_cast<std::size_t>(n) * sizeof(float));
}

const char* grasppanda_cuda_furthest_point_sample(GrasppandaCudaPlace place, const float* points,
                                                  std::int64_t clouds, std::int64_t n,
                                                  std::int64_t num_samples, bool skip_near_origin,
                                                  bool pointnet2_ties, void* scratch,
                                                  std::int64_t* samples) {
  using namespace grasppanda::ops::device;
  if (clouds == 0 || num_samples == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* best = static_cast<Key*>(scratch);
  Key* arrived = best + clouds * num_samples;
  const Sampling s{points,
                   static_cast<std::uint32_t>(n),
                   num_samples,
                   skip_near_origin,
                   PreferenceRank::of(n, pointnet2_ties),
                   1,
                   best,
                   arrived,
                   reinterpret_cast<float*>(arrived + clouds),
                   samples};
  const Plan plan = plan_sampling(place, clouds, n);
  const Failure failure = run(place, s, clouds, plan);
  if (failure == nullptr || plan.blocks_per_cloud == 1) return failure;
  // Refused, as where other processes hold a part of the device: one block a cloud always runs.
  return run(place, s, clouds, {sample_in_memory, 1});
}
