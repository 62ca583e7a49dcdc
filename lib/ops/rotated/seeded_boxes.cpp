#include "lib/ops/rotated/seeded_boxes.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <limits>

#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {
namespace {

constexpr double kPi = 3.141592653589793;

using Box = std::array<double, 5>;

double between(SeededNumbers& numbers, double low, double high) {
  return low + (high - low) * static_cast<double>(numbers.uniform());
}

Box aerial_box(SeededNumbers& numbers, double extent) {
  return {between(numbers, 0, extent), between(numbers, 0, extent), between(numbers, 8, 100),
          between(numbers, 4, 40), between(numbers, -kPi, kPi)};
}

Box jittered(SeededNumbers& numbers, const Box& box) {
  return {box[0] + between(numbers, -8, 8), box[1] + between(numbers, -8, 8),
          box[2] * between(numbers, 0.8, 1.25), box[3] * between(numbers, 0.8, 1.25),
          box[4] + between(numbers, -0.2, 0.2)};
}

Box lattice_box(SeededNumbers& numbers) {
  const auto whole = [&](int64_t limit) { return static_cast<double>(numbers.below(limit)); };
  return {2 * whole(8), 2 * whole(8), 2 * (1 + whole(4)), 2 * (1 + whole(3)),
          (whole(9) - 4) * kPi / 4};
}

Box sliver(SeededNumbers& numbers, double extent) {
  return {between(numbers, 0, extent), between(numbers, 0, extent),
          std::pow(10.0, between(numbers, -3, 3)), std::pow(10.0, between(numbers, -3, 3)),
          between(numbers, -kPi, kPi)};
}

void spoil(SeededNumbers& numbers, Box& box) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::array<double, 8> values = {0, -20, kNan, kInf, -kInf, 1e-30, 3e38, -0.0};
  box[static_cast<std::size_t>(numbers.below(5))] =
      values[static_cast<std::size_t>(numbers.below(8))];
}

}  // namespace

at::Tensor seeded_boxes(BoxKind kind, int64_t count, uint64_t seed, double extent) {
  SeededNumbers numbers(seed * 16 + static_cast<uint64_t>(kind));
  std::array<Box, 12> middles;
  for (Box& box : middles) box = aerial_box(numbers, extent);
  at::Tensor boxes = at::empty({count, 5}, at::kFloat);
  float* out = boxes.mutable_data_ptr<float>();
  for (int64_t i = 0; i < count; ++i) {
    Box box{};
    switch (kind) {
      case BoxKind::aerial:
      case BoxKind::degenerate:
        box = aerial_box(numbers, extent);
        if (kind == BoxKind::degenerate && i % 2 == 1) spoil(numbers, box);
        break;
      case BoxKind::clusters:
        box = jittered(numbers, middles[static_cast<std::size_t>(numbers.below(12))]);
        break;
      case BoxKind::lattice:
        box = lattice_box(numbers);
        break;
      case BoxKind::slivers:
        box = sliver(numbers, extent / 16);
        break;
      case BoxKind::far_out:
        box = jittered(numbers, middles[static_cast<std::size_t>(numbers.below(12))]);
        box[0] += 1e5;
        box[1] -= 1e5;
        break;
    }
    for (const double value : box) *out++ = static_cast<float>(value);
  }
  return boxes;
}

at::Tensor drawn_boxes(SeededNumbers& numbers, int64_t count) {
  const auto kind = drawn(numbers, {BoxKind::aerial, BoxKind::clusters, BoxKind::lattice,
                                    BoxKind::slivers, BoxKind::far_out, BoxKind::degenerate});
  const double extent = drawn(numbers, {16.0, 256.0, 1024.0});
  const at::Tensor boxes = seeded_boxes(kind, count, numbers.next(), extent);
  return numbers.below(2) == 0 ? boxes : boxes.t().contiguous().t();
}

at::Tensor seeded_scores(int64_t count, uint64_t seed) {
  SeededNumbers numbers(seed * 16 + 14);
  at::Tensor scores = at::empty({count}, at::kFloat);
  float* out = scores.mutable_data_ptr<float>();
  for (int64_t i = 0; i < count; ++i)
    out[i] = i > 0 && numbers.below(8) == 0 ? out[numbers.below(i)] : numbers.uniform();
  return scores;
}

at::Tensor seeded_labels(int64_t count, int64_t classes, uint64_t seed) {
  SeededNumbers numbers(seed * 16 + 15);
  at::Tensor labels = at::empty({count}, at::kLong);
  int64_t* out = labels.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) out[i] = numbers.below(classes);
  return labels;
}

}  // namespace grasppanda::ops
