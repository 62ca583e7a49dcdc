#include "lib/render/grasp_ply.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/io/ply.h"
#include "lib/render/gripper_shape.h"
#include "lib/render/score_color.h"

namespace grasppanda::render {
namespace {

constexpr double kThick = 0.004;  // of fingers, palm and handle, metres
constexpr Color kPlainCloud{190, 194, 200};

struct Box {
  geometry::Vec3 low, high;  // in the grasp's frame
};

// The fingers stand outside of the opening, the palm behind x = -0.02.
std::array<Box, 4> gripper_boxes(const geometry::Grasp& grasp) {
  const double half = std::max(grasp.width / 2.0, 0.0), thin = kThick / 2;
  const double outer = half + kThick, back = kPalmX - kThick;
  const double tip = std::max<double>(grasp.depth, kPalmX);
  return {{{{kPalmX, -outer, -thin}, {tip, -half, thin}},
           {{kPalmX, half, -thin}, {tip, outer, thin}},
           {{back, -outer, -thin}, {kPalmX, outer, thin}},
           {{back - kHandleLength, -thin, -thin}, {back, thin, thin}}}};
}

// Corner k of a box has its high x, y, z where bits 0, 1, 2 of k are set.
constexpr std::array<std::array<std::int32_t, 3>, 12> kTriangles = {{{0, 4, 6},
                                                                     {0, 6, 2},
                                                                     {1, 3, 7},
                                                                     {1, 7, 5},
                                                                     {0, 1, 5},
                                                                     {0, 5, 4},
                                                                     {2, 6, 7},
                                                                     {2, 7, 3},
                                                                     {0, 2, 3},
                                                                     {0, 3, 1},
                                                                     {4, 5, 7},
                                                                     {4, 7, 6}}};

void append_vertex(io::PlyMesh& mesh, const geometry::Vec3& at, Color color) {
  for (const double value : at) mesh.xyz.push_back(static_cast<float>(value));
  mesh.rgb.insert(mesh.rgb.end(), color.begin(), color.end());
}

void append_cloud(io::PlyMesh& mesh, std::span<const double> xyz,
                  std::span<const std::uint8_t> rgb) {
  const bool colored = !rgb.empty() && rgb.size() >= xyz.size();
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    if (!std::isfinite(xyz[i]) || !std::isfinite(xyz[i + 1]) || !std::isfinite(xyz[i + 2]))
      continue;
    append_vertex(mesh, {xyz[i], xyz[i + 1], xyz[i + 2]},
                  colored ? Color{rgb[i], rgb[i + 1], rgb[i + 2]} : kPlainCloud);
  }
}

void append_gripper(io::PlyMesh& mesh, const geometry::Grasp& grasp, Color color) {
  for (const Box& box : gripper_boxes(grasp)) {
    const auto first = static_cast<std::int32_t>(mesh.xyz.size() / 3);
    for (int k = 0; k < 8; ++k)
      append_vertex(
          mesh,
          from_grasp(grasp, {(k & 1 ? box.high : box.low)[0], (k & 2 ? box.high : box.low)[1],
                             (k & 4 ? box.high : box.low)[2]}),
          color);
    for (const auto& triangle : kTriangles)
      for (const std::int32_t corner : triangle) mesh.faces.push_back(first + corner);
  }
}

}  // namespace

io::PlyMesh grasp_mesh(const GraspMesh& scene) {
  const std::vector<geometry::Grasp> drawn = drawn_grasps(scene.grasps, scene.max_grasps);
  const ScoreRange range = score_range(drawn);
  io::PlyMesh mesh;
  mesh.xyz.reserve(scene.cloud_xyz.size() + 96 * drawn.size());
  mesh.rgb.reserve(mesh.xyz.capacity());
  append_cloud(mesh, scene.cloud_xyz, scene.cloud_rgb);
  for (const auto& grasp : drawn)
    append_gripper(mesh, grasp, score_color(range.place(grasp.score)));
  return mesh;
}

}  // namespace grasppanda::render
