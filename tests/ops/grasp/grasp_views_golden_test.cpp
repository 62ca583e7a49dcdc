#include "lib/ops/grasp/grasp_views.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("views, angles and rotations have the recorded bits") {
  GP_NEED_DATA(folder, "goldens/gsnet/ops");
  const at::Tensor views = ops::template_views(), angles = ops::in_plane_angles();
  CHECK(views.equal(npy_tensor(folder / "template_views.npy")));
  CHECK(angles.equal(npy_tensor(folder / "angles.npy")));
  const at::Tensor rotations = ops::approach_rotations(views.neg(), angles);
  CHECK(rotations.flatten(2).equal(npy_tensor(folder / "view_angle_rotations.npy")));
}

TEST_CASE("a vertical approach closes along y; lengths do not matter") {
  GP_NEED_DATA(folder, "goldens/gsnet/ops");
  const at::Tensor approach =
      at::tensor({0.F, 0.F, 1.F, 0.F, 0.F, -2.F, 1.F, 0.F, 0.F, 3.F, 4.F, 0.F}).view({4, 3});
  const at::Tensor rotations =
      ops::rotation_from_approach(approach, at::tensor({0.F, 0.5F, 1.F, 2.F}));
  CHECK(rotations.equal(npy_tensor(folder / "degenerate_rotations.npy")));
}

}  // namespace
}  // namespace grasppanda::tests
