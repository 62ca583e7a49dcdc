#include "lib/geometry/rigid_transform.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/catch.h"

using namespace grasppanda::geometry;

TEST_CASE("rigid transform: frames chain by name") {
  const RigidTransform a_from_b{{0, -1, 0, 1, 0, 0, 0, 0, 1}, {1, 2, 3}};
  const RigidTransform b_from_c{kIdentity3, {0, 0, -1}};
  const Vec3 p_c{5, 6, 7};
  CHECK(a_from_b * p_c == Vec3{-5, 7, 10});
  const RigidTransform a_from_c = a_from_b * b_from_c;
  CHECK(a_from_c * p_c == a_from_b * (b_from_c * p_c));
  CHECK(inverse(a_from_b) * (a_from_b * p_c) == p_c);
  CHECK((inverse(a_from_b) * a_from_b).translation == Vec3{0, 0, 0});
}

TEST_CASE("rigid transform: to and from 4x4") {
  const std::array<double, 16> matrix{0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
  CHECK(matrix_from(rigid_transform_from_matrix(matrix)) == matrix);
  auto wrong = matrix;
  wrong[12] = 1;
  CHECK_THROWS_WITH(rigid_transform_from_matrix(wrong),
                    "the last row of the 4x4 transform is not 0 0 0 1");
  wrong = matrix;
  wrong[0] = 0.5;
  CHECK_THROWS_AS(rigid_transform_from_matrix(wrong), std::invalid_argument);
  wrong = matrix;
  wrong[3] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(rigid_transform_from_matrix(wrong), "the translation is not finite");
  auto float32_pose = matrix;
  float32_pose[1] = -0.9999f;
  CHECK_NOTHROW(rigid_transform_from_matrix(float32_pose));
}
