// Many queries and k <= 3: one thread a query, the support in shared memory tile by tile. Otherwise
// one warp a query: the k best keys (bits of the squared distance, index) sorted across its lanes,
// runs of the support skipped whose box lies beyond the k-th of them.
#include "lib/ops/point/knn_cuda.h"

#include "lib/ops/point/warp_search_cuda.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kTileThreads = 128;
constexpr std::uint32_t kTile = 512;  // points
/// Fewer queries than this leave most of a device idle with one thread each.
constexpr std::int64_t kManyQueries = 8192;

struct NearestQueries {
  const float *query, *support, *boxes;
  std::int64_t m, clouds;
  std::uint32_t n;
  std::int64_t k;
  float* squared;
  std::int64_t* index;
};

template <int kKept>
__global__ void __launch_bounds__(kTileThreads) search_by_thread(NearestQueries q) {
  __shared__ float tile[3 * kTile];
  const std::int64_t blocks_per_cloud = (q.m + kTileThreads - 1) / kTileThreads;
  const std::int64_t cloud = blockIdx.x / blocks_per_cloud;
  const std::int64_t row = blockIdx.x % blocks_per_cloud * kTileThreads + threadIdx.x;
  const bool works = row < q.m;  // the others still load
  const std::int64_t query = cloud * q.m + row;
  const float* support = q.support + 3 * cloud * q.n;
  float at[3] = {0, 0, 0};
  for (int c = 0; c < 3 && works; ++c) at[c] = q.query[3 * query + c];
  NearestInOrder<kKept> nearest;
  nearest.start();
  for (std::uint32_t base = 0; base < q.n; base += kTile) {
    const std::uint32_t points = q.n - base < kTile ? q.n - base : kTile;
    __syncthreads();
    for (std::uint32_t value = threadIdx.x; value < 3 * points; value += kTileThreads)
      tile[value] = support[std::size_t{3} * base + value];
    __syncthreads();
    for (std::uint32_t i = 0; i < points; ++i)
      nearest.offer(order_bits(squared_distance_middle_last(tile + 3 * i, at)), base + i);
  }
  if (!works) return;
  GRASPPANDA_UNROLL
  for (int slot = 0; slot < kKept; ++slot) {
    if (slot >= q.k) break;
    q.squared[query * q.k + slot] = float_of(nearest.bits[slot]);
    q.index[query * q.k + slot] = nearest.index[slot];
  }
}

/// 32 * kRegisters keys in ascending order: slot s in lane s mod 32, register s / 32. Up to two
/// registers.
template <int kRegisters>
struct WarpList {
  Key keys[kRegisters];
  Key worst;  // of the k best, the same in every lane
  unsigned k;

  __device__ void start(unsigned wanted) {
    for (int r = 0; r < kRegisters; ++r) keys[r] = kUnfilledKey;
    worst = kUnfilledKey;
    k = wanted;
  }
  __device__ std::uint32_t worst_bits() const { return static_cast<std::uint32_t>(worst >> 32); }

  /// Everything behind the key moves on by one slot.
  __device__ void insert(Key key) {
    const unsigned lane = lane_of_thread();
    Key carried = 0;  // of the last lane of the register before
    GRASPPANDA_UNROLL
    for (int r = 0; r < kRegisters; ++r) {
      const Key last = __shfl_sync(kAllLanes, keys[r], kWarp - 1);
      Key before = __shfl_up_sync(kAllLanes, keys[r], 1);
      if (lane == 0) before = carried;
      carried = last;
      if (keys[r] > key) keys[r] = before > key ? before : key;
    }
    worst = __shfl_sync(kAllLanes, k > kWarp ? keys[kRegisters - 1] : keys[0],
                        static_cast<int>((k - 1) % kWarp));
  }
  /// One candidate a lane.
  __device__ void offer(Key key) {
    unsigned better = __ballot_sync(kAllLanes, key < worst);
    while (better != 0) {
      const unsigned lane = lowest_bit(better);
      insert(__shfl_sync(kAllLanes, key, static_cast<int>(lane)));
      better &= ~bits_below(lane) & ~(1u << lane);
      better &= __ballot_sync(kAllLanes, key < worst);
    }
  }
};

template <int kRegisters>
__device__ void offer_run(WarpList<kRegisters>& list, const float* support, std::uint32_t n,
                          std::uint32_t first, const float* at) {
  Key keys[kRun / kWarp];
  GRASPPANDA_UNROLL
  for (std::uint32_t step = 0; step < kRun / kWarp; ++step) {
    const std::uint32_t i = first + step * kWarp + lane_of_thread();
    keys[step] = kUnfilledKey;
    if (i < n)
      keys[step] =
          key_of(order_bits(squared_distance_middle_last(support + std::size_t{3} * i, at)), i);
  }
  GRASPPANDA_UNROLL
  for (std::uint32_t step = 0; step < kRun / kWarp; ++step) list.offer(keys[step]);
}

/// The run with the smallest bound: its points set a reach that rules most others out.
__device__ std::uint32_t nearest_run(const RunBoxes& boxes, const float* at) {
  Key best = kUnfilledKey;
  for (std::uint32_t run = lane_of_thread(); run < boxes.runs; run += kWarp) {
    const Key key = key_of(bits_of(boxes.lower_bound(run, at)), run);
    best = key < best ? key : best;
  }
  for (unsigned step = kWarp / 2; step > 0; step /= 2) {
    const Key other = __shfl_xor_sync(kAllLanes, best, static_cast<int>(step));
    best = other < best ? other : best;
  }
  return static_cast<std::uint32_t>(best);
}

template <int kRegisters>
__global__ void __launch_bounds__(kSearchThreads) search_by_warp(NearestQueries q) {
  const std::int64_t query = query_of_warp();
  if (query >= q.m * q.clouds) return;
  const unsigned lane = lane_of_thread();
  const std::int64_t cloud = query / q.m;
  const float* support = q.support + 3 * cloud * q.n;
  const float at[3] = {q.query[3 * query], q.query[3 * query + 1], q.query[3 * query + 2]};
  const auto runs = static_cast<std::uint32_t>(runs_of(q.n));
  const RunBoxes boxes{q.boxes == nullptr ? nullptr : q.boxes + 6 * cloud * runs, runs};
  WarpList<kRegisters> list;
  list.start(static_cast<unsigned>(q.k));

  const std::uint32_t first_run = boxes.values == nullptr ? runs : nearest_run(boxes, at);
  if (first_run < runs) offer_run(list, support, q.n, first_run * kRun, at);
  for (std::uint32_t base = 0; base < runs; base += kWarp) {
    const std::uint32_t run = base + lane;
    const bool open = run < runs && run != first_run;
    // Bounds are never NaN, and at equality a smaller index may still win.
    const std::uint32_t bound = open ? bits_of(boxes.lower_bound(run, at)) : kUnfilledBits;
    unsigned reached = __ballot_sync(kAllLanes, open && bound <= list.worst_bits());
    while (reached != 0) {
      const unsigned bit = lowest_bit(reached);
      offer_run(list, support, q.n, (base + bit) * kRun, at);
      reached &= ~bits_below(bit) & ~(1u << bit);
      reached &= __ballot_sync(kAllLanes, open && bound <= list.worst_bits());
    }
  }
  GRASPPANDA_UNROLL
  for (int r = 0; r < kRegisters; ++r) {
    const std::int64_t slot = static_cast<std::int64_t>(r) * kWarp + lane;
    if (slot >= q.k) continue;
    q.squared[query * q.k + slot] = float_of(static_cast<std::uint32_t>(list.keys[r] >> 32));
    q.index[query * q.k + slot] = static_cast<std::int64_t>(list.keys[r] & 0xffffffffu);
  }
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_knn(GrasppandaCudaPlace place, const float* query, std::int64_t m,
                                const float* support, std::int64_t n, std::int64_t clouds,
                                std::int64_t k, void* scratch, float* squared,
                                std::int64_t* index) {
  using namespace grasppanda::ops::device;
  if (m == 0 || clouds == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* boxes = static_cast<float*>(scratch);
  const NearestQueries q{query, support, boxes, m, clouds, static_cast<std::uint32_t>(n),
                         k,     squared, index};
  if (k <= 3 && m * clouds >= kManyQueries) {
    const auto blocks = static_cast<unsigned>((m + kTileThreads - 1) / kTileThreads * clouds);
    return k == 1 ? launch(place, search_by_thread<1>, blocks, kTileThreads, q)
                  : launch(place, search_by_thread<3>, blocks, kTileThreads, q);
  }
  if (const Failure failure = make_run_boxes(place, support, clouds, n, boxes)) return failure;
  const unsigned blocks = blocks_for_queries(m * clouds);
  return k <= kWarp ? launch(place, search_by_warp<1>, blocks, kSearchThreads, q)
                    : launch(place, search_by_warp<2>, blocks, kSearchThreads, q);
}
