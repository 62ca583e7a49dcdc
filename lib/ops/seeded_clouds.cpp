#include "lib/ops/seeded_clouds.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <limits>

namespace grasppanda::ops {
namespace {

using Point = std::array<float, 3>;

Point uniform_point(SeededNumbers& numbers, float extent) {
  Point point;
  for (float& coordinate : point) coordinate = (numbers.uniform() - 0.5F) * extent;
  return point;
}

Point lattice_point(SeededNumbers& numbers, int64_t side) {
  Point point;
  for (float& coordinate : point)
    coordinate = static_cast<float>(numbers.below(side) - side / 2) * 0.125F;
  return point;
}

// Every other point lies on a box top of 5 to 20 cm height; its place decides which.
Point table_top_point(SeededNumbers& numbers) {
  const float x = numbers.uniform() - 0.5F, y = numbers.uniform() - 0.5F;
  const int cell = static_cast<int>((x + 0.5F) * 8) + 8 * static_cast<int>((y + 0.5F) * 8);
  const float height = cell % 2 == 0 ? 0.0F : 0.05F * static_cast<float>(1 + cell % 4);
  return {x, y, 0.5F - height + 0.001F * numbers.uniform()};
}

}  // namespace

uint64_t SeededNumbers::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

at::Tensor seeded_cloud(CloudKind kind, int64_t batches, int64_t points, uint64_t seed) {
  SeededNumbers numbers(seed * 8 + static_cast<uint64_t>(kind));
  at::Tensor cloud = at::empty({batches, points, 3}, at::kFloat);
  float* out = cloud.data_ptr<float>();
  std::array<Point, 5> distinct;
  for (Point& point : distinct) point = uniform_point(numbers, 1);
  const int64_t side = 2 + numbers.below(6);
  for (int64_t i = 0; i < batches * points; ++i) {
    Point point{};
    switch (kind) {
      case CloudKind::uniform:
      case CloudKind::non_finite:
        point = uniform_point(numbers, 1);
        break;
      case CloudKind::lattice:
        point = lattice_point(numbers, side);
        break;
      case CloudKind::repeated:
        point = distinct[numbers.below(5)];
        break;
      case CloudKind::origin:
        point = uniform_point(numbers, 0.1F);
        break;
      case CloudKind::table_top:
        point = table_top_point(numbers);
        break;
    }
    for (const float coordinate : point) *out++ = coordinate;
  }
  if (kind == CloudKind::non_finite && cloud.numel() > 0) {
    const float infinity = std::numeric_limits<float>::infinity();
    float* values = cloud.data_ptr<float>();
    for (const float special : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()})
      values[numbers.below(cloud.numel())] = special;
  }
  return cloud;
}

CloudKind drawn_kind(SeededNumbers& numbers) {
  return drawn(numbers, {CloudKind::uniform, CloudKind::lattice, CloudKind::repeated,
                         CloudKind::origin, CloudKind::table_top, CloudKind::non_finite});
}

at::Tensor maybe_strided(const at::Tensor& cloud, SeededNumbers& numbers) {
  return numbers.below(2) == 0 ? cloud : cloud.transpose(1, 2).contiguous().transpose(1, 2);
}

at::Tensor seeded_rotations(int64_t batches, int64_t count, uint64_t seed) {
  SeededNumbers numbers(seed * 8 + 7);
  at::Tensor rotations = at::empty({batches, count, 3, 3}, at::kFloat);
  float* out = rotations.data_ptr<float>();
  for (int64_t i = 0; i < batches * count; ++i) {
    std::array<double, 4> q;
    double norm = 0;
    for (double& part : q) {
      part = numbers.uniform() - 0.5;
      norm += part * part;
    }
    for (double& part : q) part /= std::sqrt(norm);
    const auto [w, x, y, z] = q;
    for (const double entry : {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                               2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                               2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)})
      *out++ = static_cast<float>(entry);
  }
  return rotations;
}

}  // namespace grasppanda::ops
