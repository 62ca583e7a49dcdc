// Which way is up: the table in a recorded cloud.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "lib/geometry/camera.h"
#include "models/numpy_random.h"

namespace grasppanda::models::contact_graspnet {

/// Plane n.p + offset = height above the table, metres; n is a unit vector towards the camera.
struct Table {
  geometry::Vec3 normal;
  double offset;
  double inlier_share;  // of the points that were looked at
};

/// cloud (n, 3) float64 CPU: are three of its points different from each other?
bool has_three_distinct_points(const at::Tensor& cloud);

/// Fits the table: the plane of most points nearer than 5 mm among 500 through random triples of up
/// to 20 000 points, refined over these points by least squares.
///
/// cloud (n, 3) float64 CPU, finite, metres, camera at the origin. None when there are fewer than
/// three distinct points. Throws InputError when the best plane holds less than 20 % of the points:
/// the network gives confident nonsense in a frame that is not upright, so no guess is made.
/// Deterministic for a generator. Cost about 10 ms.
std::optional<Table> fit_table(const at::Tensor& cloud, NumpyRandom& random);

}  // namespace grasppanda::models::contact_graspnet
