#include "lib/ops/point/voxelize.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "voxelize";
constexpr double kLargestCell = 1 << 30;

// Cells as int32 (B*N, 4), batch first.
at::Tensor cells_of(const at::Tensor& points, float voxel_size) {
  const at::Tensor size = at::scalar_tensor(voxel_size, at::kFloat).to(points.scalar_type());
  const at::Tensor cells = points.div(size).floor_();
  const at::Tensor allowed = cells.abs().le(kLargestCell);  // false for NaN
  if (!allowed.all().item<bool>()) {
    const int64_t first = allowed.logical_not().view({-1}).nonzero()[0].item<int64_t>();
    refuse_argument(kOp, "points",
                    "has coordinate " + std::to_string(points.reshape({-1})[first].item<double>()) +
                        " in point " + std::to_string(first / 3),
                    "finite coordinates within 2^30 cells of the origin");
  }
  const int64_t batches = points.size(0), count = points.size(1);
  at::Tensor rows = at::empty({batches, count, 4}, at::kInt);
  rows.select(2, 0).copy_(at::arange(batches, at::kInt).unsqueeze(1).expand({batches, count}));
  rows.narrow(2, 1, 3).copy_(cells);
  return rows.view({-1, 4});
}

uint64_t hash_of(const int32_t* row) {
  uint64_t hash = 0;
  for (int i = 0; i < 4; ++i) {
    hash = (hash ^ static_cast<uint32_t>(row[i])) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

Voxels voxelize(const at::Tensor& points, double voxel_size) {
  require_cloud(kOp, "points", points);
  const auto size = static_cast<float>(voxel_size);
  if (!(size > 0) || !std::isfinite(size))
    refuse_argument(kOp, "voxel_size", "is " + std::to_string(voxel_size),
                    "a positive finite float32");
  const at::Tensor rows = cells_of(points.detach().to(at::kCPU).contiguous(), size);
  const int32_t* cells = rows.data_ptr<int32_t>();
  const int64_t count = rows.size(0);

  // Open addressing: a slot holds the number of a voxel, told apart by the cell of its first point.
  const uint64_t slots = std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(2 * count, 16)));
  std::vector<int64_t> voxel_at(slots, -1);
  std::vector<int64_t> first;
  at::Tensor inverse = at::empty({count}, at::kLong);
  int64_t* voxel_of = inverse.data_ptr<int64_t>();
  for (int64_t point = 0; point < count; ++point) {
    const int32_t* cell = cells + 4 * point;
    uint64_t slot = hash_of(cell) & (slots - 1);
    while (voxel_at[slot] >= 0 && !std::equal(cell, cell + 4, cells + 4 * first[voxel_at[slot]]))
      slot = (slot + 1) & (slots - 1);
    if (voxel_at[slot] < 0) {
      voxel_at[slot] = static_cast<int64_t>(first.size());
      first.push_back(point);
    }
    voxel_of[point] = voxel_at[slot];
  }
  at::Tensor first_points = at::empty({static_cast<int64_t>(first.size())}, at::kLong);
  std::copy(first.begin(), first.end(), first_points.data_ptr<int64_t>());
  const at::Device device = points.device();
  return {rows.index_select(0, first_points).to(device), first_points.to(device),
          inverse.to(device)};
}

}  // namespace grasppanda::ops
