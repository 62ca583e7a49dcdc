// Cameras for a cloud that brings none.
#pragma once

#include <span>

#include "lib/geometry/grasp.h"
#include "lib/render/view.h"

namespace grasppanda::render {

/// The part of a picture that a view shall fill.
struct Area {
  double left = 0, top = 0, width = 0, height = 0;
};

/// Unit vector; (0, 0, -1) for one without direction.
geometry::Vec3 unit_up(const geometry::Vec3& up);

/// Along -up, orthographic; the scene's x axis to the right as far as it can be (its y axis where x
/// is up). Then a z-up cloud has y upwards in the picture, and a cloud in a camera frame with the
/// default up is seen as by that camera.
View view_from_above(std::span<const double> xyz, std::span<const geometry::Grasp> grasps,
                     const geometry::Vec3& up, const Area& area);

/// From 35 degrees above the horizontal and 30 degrees to the right of the lower edge of the view
/// from above; perspective, from four times the cloud's radius.
View view_three_quarter(std::span<const double> xyz, std::span<const geometry::Grasp> grasps,
                        const geometry::Vec3& up, const Area& area);

}  // namespace grasppanda::render
