// A cloud with its grippers as one triangle mesh, for any viewer of PLY files.
#pragma once

#include <cstdint>
#include <span>

#include "lib/geometry/grasp.h"

namespace grasppanda::io {
struct PlyMesh;  // lib/io/ply.h
}

namespace grasppanda::render {

struct GraspMesh {
  std::span<const double> cloud_xyz;        // 3 per point, metres
  std::span<const std::uint8_t> cloud_rgb;  // 3 per point, or empty: light grey
  std::span<const geometry::Grasp> grasps;  // frame of the cloud, best first
  std::int64_t max_grasps = 50;             // the first so many; 0: all
};

/// First the cloud's points in their order (a point that is not finite is left out), then 32
/// vertices and 48 triangles for each gripper: two fingers, palm and handle as boxes of 4 mm,
/// outside of the opening, coloured by score as in the pictures, outward faces counter-clockwise.
/// A grasp with a number that is not finite is left out. Write it with io::write_ply.
io::PlyMesh grasp_mesh(const GraspMesh& scene);

}  // namespace grasppanda::render
