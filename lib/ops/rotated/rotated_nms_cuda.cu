// Boxes are taken in runs, best first. Within a run every pair is measured and one warp decides
// which boxes stay; those then strike what they overlap out of all later runs. Memory grows with
// the boxes, not with their pairs, and nothing waits for the host.
#include "lib/ops/rotated/box_frames_cuda.h"
#include "lib/ops/rotated/cuda_interface.h"
#include "lib/ops/rotated/rectangle_overlap.h"

namespace grasppanda::ops::device {
namespace {

/// Bit b of word w: box 64 w + b of the run. A lane of the deciding warp holds one word.
using Word = unsigned long long;
constexpr int kBits = 64;
static_assert(kGrasppandaSuppressionRun == std::int64_t{kBits} * kWarp);

struct Run {
  const BoxFrame* frames;
  const std::int64_t* groups;
  std::int64_t n, begin;
  int rows, words;  // of this run
  double threshold;
  bool at_equality;
  Word* mask;          // rows x words: what a box of the run suppresses in it
  std::int64_t* kept;  // how many, and which
  std::uint8_t* suppressed;
};

__device__ bool may_meet(const Run& r, std::int64_t i, std::int64_t j) {
  return r.groups[i] == r.groups[j] && !bounds_apart(r.frames[i], r.frames[j]);
}
__device__ bool suppresses(const Run& r, std::int64_t i, std::int64_t j) {
  const double iou = overlap_ratio(r.frames[i], r.frames[j], OverlapRatio::iou);
  return r.at_equality ? iou >= r.threshold : iou > r.threshold;
}

/// Place of the lowest bit; some bit is set.
__device__ int lowest_bit(Word bits) {
  const int low = __ffs(static_cast<int>(bits & 0xffffffffu));
  return low != 0 ? low - 1 : 31 + __ffs(static_cast<int>(bits >> 32));
}

__global__ void __launch_bounds__(kItemThreads) measure_run(Run r) {
  const std::int64_t item = item_of_thread();
  if (item >= std::int64_t{r.rows} * r.words) return;
  const std::int64_t row = item / r.words, first = item % r.words * kBits;
  const std::int64_t i = r.begin + row;
  Word near = 0, gone = 0;
  if (r.suppressed[i] == 0)
    for (int bit = 0; bit < kBits && first + bit < r.rows; ++bit)
      if (first + bit > row && may_meet(r, i, r.begin + first + bit)) near |= Word{1} << bit;
  for (; near != 0; near &= near - 1) {
    const int bit = lowest_bit(near);
    if (suppresses(r, i, r.begin + first + bit)) gone |= Word{1} << bit;
  }
  r.mask[item] = gone;
}

/// One warp.
__global__ void __launch_bounds__(kWarp) decide_run(Run r) {
  const auto lane = static_cast<int>(threadIdx.x);
  Word gone = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    const int row = lane * kBits + bit;
    if (row >= r.rows || r.suppressed[r.begin + row] != 0) gone |= Word{1} << bit;
  }
  for (int word = 0; word < r.words; ++word) {
    // The boxes of the word among themselves; a lane holds what two of them suppress.
    const int row = word * kBits + lane, other = row + static_cast<int>(kWarp);
    const Word low = row < r.rows ? r.mask[std::int64_t{row} * r.words + word] : 0;
    const Word high = other < r.rows ? r.mask[std::int64_t{other} * r.words + word] : 0;
    Word here = __shfl_sync(kAllLanes, gone, word);
    for (int bit = 0; bit < kBits; ++bit) {
      const Word struck = __shfl_sync(kAllLanes, bit < kBits / 2 ? low : high, bit % 32);
      if ((here >> bit & 1) == 0) here |= struck;
    }
    if (lane == word) gone = here;
    if (lane <= word || lane >= r.words) continue;
    for (int bit = 0; bit < kBits; ++bit)
      if ((here >> bit & 1) == 0)
        gone |= r.mask[(std::int64_t{word} * kBits + bit) * r.words + lane];
  }
  int place = __popc(static_cast<int>(~gone & 0xffffffffu)) + __popc(static_cast<int>(~gone >> 32));
  const int mine = place;
  for (int step = 1; step < static_cast<int>(kWarp); step *= 2) {
    const int before = __shfl_up_sync(kAllLanes, place, step);
    if (lane >= step) place += before;
  }
  if (lane == static_cast<int>(kWarp) - 1) r.kept[0] = place;
  std::int64_t* next = r.kept + 1 + (place - mine);
  for (int bit = 0; bit < kBits; ++bit) {
    const std::int64_t row = std::int64_t{lane} * kBits + bit;
    if (row >= r.rows) break;
    const bool stays = (gone >> bit & 1) == 0;
    r.suppressed[r.begin + row] = stays ? 0 : 1;
    if (stays) *next++ = r.begin + row;
  }
}

/// The boxes that stay against those of all later runs, a thread for each of these.
__global__ void __launch_bounds__(kItemThreads) strike_later(Run r) {
  const std::int64_t j = r.begin + r.rows + item_of_thread();
  if (j >= r.n || r.suppressed[j] != 0) return;
  const std::int64_t count = r.kept[0];
  for (std::int64_t base = 0; base < count; base += 32) {
    std::uint32_t near = 0;
    for (int k = 0; k < 32 && base + k < count; ++k)
      if (may_meet(r, r.kept[1 + base + k], j)) near |= 1u << k;
    for (; near != 0; near &= near - 1) {
      const std::int64_t k = base + __ffs(static_cast<int>(near)) - 1;
      if (!suppresses(r, r.kept[1 + k], j)) continue;
      r.suppressed[j] = 1;
      return;
    }
  }
}

Failure suppress_run(const GrasppandaCudaPlace& place, const Run& run) {
  if (const Failure failure =
          launch(place, measure_run, blocks_for_items(std::int64_t{run.rows} * run.words),
                 kItemThreads, run))
    return failure;
  if (const Failure failure = launch(place, decide_run, 1, kWarp, run)) return failure;
  const std::int64_t later = run.n - run.begin - run.rows;
  if (later == 0) return nullptr;
  return launch(place, strike_later, blocks_for_items(later), kItemThreads, run);
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_rotated_nms(GrasppandaCudaPlace place, GrasppandaSuppressionCall call) {
  using namespace grasppanda::ops;
  using namespace grasppanda::ops::device;
  if (call.n == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* frames = static_cast<BoxFrame*>(call.frames);
  if (const Failure failure = make_box_frames(place, call.boxes, call.wide, call.n, frames))
    return failure;
  if (const Failure failure = clear(place, call.suppressed, static_cast<std::size_t>(call.n)))
    return failure;
  for (std::int64_t begin = 0; begin < call.n; begin += kGrasppandaSuppressionRun) {
    const std::int64_t left = call.n - begin;
    const auto rows =
        static_cast<int>(left < kGrasppandaSuppressionRun ? left : kGrasppandaSuppressionRun);
    const Run run{frames,         call.groups,
                  call.n,         begin,
                  rows,           (rows + kBits - 1) / kBits,
                  call.threshold, call.at_equality,
                  call.mask,      call.kept,
                  call.suppressed};
    if (const Failure failure = suppress_run(place, run)) return failure;
  }
  return nullptr;
}
