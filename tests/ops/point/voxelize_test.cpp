#include "lib/ops/point/voxelize.h"

#include <cmath>
#include <limits>
#include <map>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("voxelize: hand-computed cells, numbered by their first point") {
  const at::Tensor points = at::tensor({0.9F, 0.F, 0.F, 0.1F, 0.F, 0.F, -0.1F, 0.F, 0.F, 0.5F, -0.F,
                                        0.F, 0.2F, 0.F, 0.F, 0.F, 0.F, 0.F})
                                .view({2, 3, 3});
  const ops::Voxels voxels = ops::voxelize(points, 0.5);
  CHECK(voxels.coords.equal(
      at::tensor({0, 1, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0}, at::kInt)
          .view({5, 4})));
  CHECK(voxels.first.equal(at::tensor({0, 1, 2, 3, 4}, at::kLong)));
  CHECK(voxels.inverse.equal(at::tensor({0, 1, 2, 3, 4, 4}, at::kLong)));
}

TEST_CASE("voxelize: every point's cell against loops on seeded clouds") {
  uint64_t seed = 0;
  for (const ops::CloudKind kind : {ops::CloudKind::uniform, ops::CloudKind::lattice,
                                    ops::CloudKind::repeated, ops::CloudKind::table_top})
    for (const double size : {0.125, 0.1, 0.013, 0.005}) {
      const at::Tensor points = ops::seeded_cloud(kind, 2, 700, ++seed);
      INFO("seed " << seed << " voxel_size " << size);
      const ops::Voxels voxels = ops::voxelize(points, size);
      std::map<std::array<int64_t, 4>, int64_t> number;
      const float* xyz = points.data_ptr<float>();
      int64_t differing = 0;
      for (int64_t i = 0; i < 1400; ++i) {
        std::array<int64_t, 4> cell{i / 700, 0, 0, 0};
        for (int axis = 0; axis < 3; ++axis)
          cell[axis + 1] =
              static_cast<int64_t>(std::floor(xyz[3 * i + axis] / static_cast<float>(size)));
        const int64_t voxel =
            number.emplace(cell, static_cast<int64_t>(number.size())).first->second;
        differing += voxels.inverse[i].item<int64_t>() != voxel;
        differing += !voxels.coords[voxel].to(at::kLong).equal(
            at::tensor(std::vector<int64_t>(cell.begin(), cell.end()), at::kLong));
      }
      CHECK(differing == 0);
      CHECK(voxels.coords.size(0) == static_cast<int64_t>(number.size()));
      CHECK(voxels.inverse.index_select(0, voxels.first).equal(at::arange(voxels.first.size(0))));
    }
}

TEST_CASE("voxelize: empty clouds, strides and refused arguments") {
  const ops::Voxels none = ops::voxelize(at::zeros({2, 0, 3}), 0.1);
  CHECK(none.coords.sizes() == at::IntArrayRef{0, 4});
  CHECK(none.first.numel() + none.inverse.numel() == 0);
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::uniform, 1, 90, 4);
  const at::Tensor strided = cloud.transpose(1, 2).contiguous().transpose(1, 2);
  CHECK(ops::voxelize(strided, 0.1).coords.equal(ops::voxelize(cloud, 0.1).coords));

  for (const double size : {0.0, -1.0, 1e-50, 1e60, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()})
    check_refused("voxelize", "voxel_size is", [&] { ops::voxelize(cloud, size); });
  for (const float bad : {NAN, INFINITY, 1e18F}) {
    at::Tensor broken = cloud.clone();
    broken[0][17][1] = bad;
    check_refused("voxelize", "in point 17", [&] { ops::voxelize(broken, 0.005); });
  }
  check_refused("voxelize", "points has shape (90, 3)", [&] { ops::voxelize(cloud[0], 0.1); });
}

}  // namespace
}  // namespace grasppanda::tests
