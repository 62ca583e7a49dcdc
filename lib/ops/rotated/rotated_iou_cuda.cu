// A thread takes one column and a run of rows. What the bounds tell apart is written at once; the
// few pairs left are the bits of a word, so that the threads of a warp cut their pairs together
// instead of one after the other.
#include "lib/ops/rotated/box_frames_cuda.h"
#include "lib/ops/rotated/cuda_interface.h"
#include "lib/ops/rotated/rectangle_overlap.h"

namespace grasppanda::ops::device {
namespace {

constexpr int kRows = 32;

template <class T>
struct OverlapTable {
  const BoxFrame *first, *second;
  std::int64_t n, m;
  OverlapRatio ratio;
  T* out;
};

template <class T>
__global__ void __launch_bounds__(kItemThreads) fill_columns(OverlapTable<T> t) {
  const std::int64_t across = (t.m + kItemThreads - 1) / kItemThreads;
  const std::int64_t column = blockIdx.x % across * kItemThreads + threadIdx.x;
  const std::int64_t begin = blockIdx.x / across * kRows;
  if (column >= t.m) return;
  const BoxFrame box = t.second[column];
  std::uint32_t near = 0;
  for (int k = 0; k < kRows && begin + k < t.n; ++k) {
    if (bounds_apart(t.first[begin + k], box))
      t.out[(begin + k) * t.m + column] = 0;
    else
      near |= 1u << k;
  }
  for (; near != 0; near &= near - 1) {
    const std::int64_t row = begin + __ffs(static_cast<int>(near)) - 1;
    t.out[row * t.m + column] = static_cast<T>(overlap_ratio(t.first[row], box, t.ratio));
  }
}

template <class T>
__global__ void __launch_bounds__(kItemThreads) fill_pairs(OverlapTable<T> t) {
  const std::int64_t i = item_of_thread();
  if (i < t.n) t.out[i] = static_cast<T>(overlap_ratio(t.first[i], t.second[i], t.ratio));
}

template <class T>
Failure fill(const GrasppandaCudaPlace& place, const GrasppandaOverlapCall& call,
             const BoxFrame* frames) {
  const OverlapTable<T> table{frames,
                              frames + call.n,
                              call.n,
                              call.m,
                              call.of_first ? OverlapRatio::iof : OverlapRatio::iou,
                              static_cast<T*>(call.ratios)};
  if (call.aligned)
    return launch(place, fill_pairs<T>, blocks_for_items(call.n), kItemThreads, table);
  const std::int64_t down = (call.n + kRows - 1) / kRows;
  return launch(place, fill_columns<T>, static_cast<unsigned>(down * blocks_for_items(call.m)),
                kItemThreads, table);
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_rotated_iou(GrasppandaCudaPlace place, GrasppandaOverlapCall call) {
  using namespace grasppanda::ops;
  using namespace grasppanda::ops::device;
  if (call.n == 0 || call.m == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* frames = static_cast<BoxFrame*>(call.frames);
  if (const Failure failure = make_box_frames(place, call.boxes1, call.wide, call.n, frames))
    return failure;
  if (const Failure failure =
          make_box_frames(place, call.boxes2, call.wide, call.m, frames + call.n))
    return failure;
  return call.wide ? fill<double>(place, call, frames) : fill<float>(place, call, frames);
}
