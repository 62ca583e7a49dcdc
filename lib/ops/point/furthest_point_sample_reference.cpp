#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {
namespace {

// Squared metres. A norm equal to the rounded value is near the origin.
constexpr double kNearOrigin = 1e-3;

at::Tensor near_origin(const at::Tensor& axes) {
  const at::Tensor square = axes.mul(axes);
  return square[0].add(square[1]).add_(square[2]).le(rounded_threshold(kNearOrigin, axes));
}

// Picks of one cloud (3, N), written to `picks` (num_samples). The loop works in place, without
// any allocation, and axis by axis: up to 32768 points every function then stays on one thread,
// where waking a second one for a few microseconds of work costs more than it saves.
void sample_cloud(const at::Tensor& axes, const at::Tensor& order, bool skip_near_origin,
                  const at::Tensor& picks) {
  at::Tensor candidates = order;
  if (skip_near_origin)
    candidates = order.index({near_origin(axes).index_select(0, order).logical_not_()});
  if (candidates.numel() == 0) return;

  // In order of preference the earliest of the largest values is the right one, and the first of
  // the largest is what a maximum over an axis names.
  const at::Tensor listed = axes.index_select(1, candidates);
  const int64_t count = candidates.numel(), num_samples = picks.size(0);
  at::Tensor offset = at::empty({3, count}, axes.options());
  at::Tensor running = at::full({count}, std::numeric_limits<double>::infinity(), axes.options());
  at::Tensor largest = at::empty({1}, axes.options());
  at::Tensor last = axes.narrow(1, 0, 1).clone();
  at::Tensor places = at::zeros({num_samples}, picks.options());
  std::array<at::Tensor, 3> from, to, difference;
  for (int64_t axis = 0; axis < 3; ++axis) {
    from[axis] = last[axis];
    to[axis] = listed[axis];
    difference[axis] = offset[axis];
  }
  at::Tensor& distance = difference[0];  // the sum is formed where the squares of x lie
  for (int64_t pick = 1; pick < num_samples; ++pick) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      at::sub_out(difference[axis], to[axis], from[axis]);
      difference[axis].mul_(difference[axis]);
    }
    distance.add_(difference[1]).add_(difference[2]);
    at::minimum_out(running, running, distance);
    at::Tensor place = places.narrow(0, pick, 1);
    at::max_out(largest, place, running, 0, /*keepdim=*/true);
    at::index_select_out(last, listed, 1, place);
  }
  picks.narrow(0, 1, num_samples - 1)
      .copy_(candidates.index_select(0, places.narrow(0, 1, num_samples - 1)));
}

}  // namespace

at::Tensor preference_order(int64_t points, TieBreak tie_break) {
  if (tie_break == TieBreak::lowest_index || points <= 1) return at::arange(points, at::kLong);
  const auto threads =
      static_cast<int64_t>(std::min<uint64_t>(512, std::bit_floor(static_cast<uint64_t>(points))));
  const int bits = std::countr_zero(static_cast<uint64_t>(threads));
  at::Tensor order = at::empty({points}, at::kLong);
  int64_t* next = order.data_ptr<int64_t>();
  for (int64_t reversed = 0; reversed < threads; ++reversed) {
    int64_t thread = 0;
    for (int bit = 0; bit < bits; ++bit) thread |= (reversed >> bit & 1) << (bits - 1 - bit);
    for (int64_t index = thread; index < points; index += threads) *next++ = index;
  }
  return order;
}

at::Tensor furthest_point_sample_reference(const at::Tensor& points, int64_t num_samples,
                                           bool skip_near_origin, TieBreak tie_break) {
  at::AutoDispatchBelowADInplaceOrView below_autograd;  // indices carry no gradient
  const int64_t batches = points.size(0);
  at::Tensor picks = at::zeros({batches, num_samples}, points.options().dtype(at::kLong));
  if (batches == 0 || num_samples <= 1) return picks;
  const at::Tensor order = preference_order(points.size(1), tie_break).to(points.device());
  for (int64_t batch = 0; batch < batches; ++batch)
    sample_cloud(points[batch].t().contiguous(), order, skip_near_origin, picks[batch]);
  return picks;
}

}  // namespace grasppanda::ops
