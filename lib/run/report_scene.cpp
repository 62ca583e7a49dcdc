#include "lib/run/report_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "lib/geometry/camera.h"
#include "lib/io/base64.h"
#include "lib/io/ply.h"
#include "lib/render/cloud_color.h"
#include "lib/render/grasp_ply.h"

namespace grasppanda::run {
namespace {

using geometry::Vec3;
constexpr std::size_t kMostPoints = 60'000;
constexpr std::size_t kVerticesPerGripper = 32;   // of the mesh
constexpr std::size_t kTrianglesPerGripper = 48;  // likewise

struct Cloud {
  std::vector<Vec3> points;
  std::vector<std::uint8_t> colors;  // 3 each
};

// One of the points k * count / taken ... (k + 1) * count / taken - 1, which one looks like chance:
// every n-th point of an image makes stripes.
std::size_t place(std::size_t k, std::size_t count, std::size_t taken) {
  const std::size_t begin = k * count / taken, end = (k + 1) * count / taken;
  const std::uint64_t mixed = (k + 1) * std::uint64_t{0x9E3779B97F4A7C15};
  return begin + static_cast<std::size_t>(mixed >> 32) % std::max<std::size_t>(end - begin, 1);
}

// The first `count` vertices of the file, thinned.
Cloud thinned(const io::PointCloud& file, std::size_t count) {
  Cloud cloud;
  const std::size_t taken = std::min(count, kMostPoints);
  for (std::size_t k = 0; k < taken; ++k) {
    const std::size_t i = place(k, count, taken);
    cloud.points.push_back({file.xyz[3 * i], file.xyz[3 * i + 1], file.xyz[3 * i + 2]});
    for (std::size_t c = 0; c < 3; ++c) {
      cloud.colors.push_back(file.rgb.empty() ? 190 : file.rgb[3 * i + c]);
    }
  }
  return cloud;
}

// A cloud of one colour came without an image: heights tell more.
void color_by_height(Cloud& cloud, const Vec3& up) {
  for (std::size_t i = 3; i < cloud.colors.size(); ++i) {
    if (cloud.colors[i] != cloud.colors[i % 3]) return;
  }
  std::vector<double> xyz;
  for (const Vec3& p : cloud.points) xyz.insert(xyz.end(), p.begin(), p.end());
  cloud.colors = render::cloud_colors(xyz, {}, up);
}

// Middle of the cloud and how far most of it reaches: a few far points do not count.
struct Extent {
  Vec3 middle{};
  double radius = 0.1;
};

Extent extent_of(const std::vector<Vec3>& points) {
  Extent extent;
  if (points.empty()) return extent;
  std::vector<double> values(points.size());
  const auto quantile = [&](double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return *at;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::ranges::transform(points, values.begin(), [&](const Vec3& p) { return p[axis]; });
    const double low = quantile(0.02), high = quantile(0.98);
    extent.middle[axis] = (low + high) / 2;
    extent.radius = std::max(extent.radius, (high - low) / 2);
  }
  return extent;
}

template <class T>
std::string packed(const std::vector<T>& values) {
  return io::base64(std::as_bytes(std::span(values)));
}

// The script's numbers are whole steps from the middle: 2 bytes instead of 4, a step is less than a
// tenth of a millimetre for a cloud of 5 m.
void put_points(const Cloud& cloud, nlohmann::json& scene) {
  Vec3 low{}, high{};
  if (!cloud.points.empty()) low = high = cloud.points.front();
  for (const Vec3& p : cloud.points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], p[axis]);
      high[axis] = std::max(high[axis], p[axis]);
    }
  }
  Vec3 middle{};
  double reach = 1e-3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    middle[axis] = low[axis] / 2 + high[axis] / 2;
    reach = std::max(reach, high[axis] / 2 - low[axis] / 2);
  }
  const double step = reach / 32'000;
  std::vector<std::int16_t> whole;
  for (const Vec3& p : cloud.points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      whole.push_back(static_cast<std::int16_t>(std::lround((p[axis] - middle[axis]) / step)));
    }
  }
  scene["middle"] = middle;
  scene["step"] = step;
  scene["points"] = packed(whole);
  scene["colors"] = packed(cloud.colors);
}

void put_triangles(const io::PlyMesh& mesh, nlohmann::json& scene) {
  std::vector<float> corners;
  std::vector<std::uint8_t> colors;  // one a triangle
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    const auto vertex = static_cast<std::size_t>(mesh.faces[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) corners.push_back(mesh.xyz[3 * vertex + axis]);
    if (i % 3 != 0) continue;
    for (std::size_t c = 0; c < 3; ++c) colors.push_back(mesh.rgb[3 * vertex + c]);
  }
  scene["triangles"] = packed(corners);
  scene["triangle_colors"] = packed(colors);
  scene["vertices_per_grasp"] = 3 * kTrianglesPerGripper;
}

nlohmann::json first_view(const Cloud& cloud, const SceneView& view) {
  const Extent extent = extent_of(cloud.points);
  // Points side by side cover the picture: their distance on a square of that size.
  const double spacing =
      cloud.points.empty()
          ? 0.01
          : 2 * extent.radius / std::sqrt(static_cast<double>(cloud.points.size()));
  return {{"center", extent.middle},
          {"forward", view.forward},
          {"up", view.up},
          {"distance", 2.6 * extent.radius},
          {"spacing", spacing}};
}

}  // namespace

SceneView table_view(const Vec3& up) {
  const double length = std::hypot(up[0], up[1], up[2]);
  const Vec3 u{up[0] / length, up[1] / length, up[2] / length};
  // Along the table, from the axis that is the least upright.
  const std::size_t axis = std::abs(u[0]) < 0.8 ? 0 : 1;
  Vec3 forward{};
  for (std::size_t i = 0; i < 3; ++i) {
    forward[i] = -((i == axis ? 1.0 : 0.0) - u[axis] * u[i]) - 0.8 * u[i];
  }
  return {.forward = forward, .up = u, .height = u};
}

ReportScene report_scene(const std::filesystem::path& ply, std::span<const geometry::Grasp> grasps,
                         std::int64_t drawn, const SceneView& view) {
  const io::PointCloud file = io::read_ply(ply);
  const io::PlyMesh mesh =
      render::grasp_mesh({.cloud_xyz = {}, .cloud_rgb = {}, .grasps = grasps, .max_grasps = drawn});
  const std::size_t all = file.xyz.size() / 3, grippers = mesh.xyz.size() / 3;
  // The cloud stands before the grippers.
  Cloud cloud = thinned(file, all > grippers ? all - grippers : 0);
  color_by_height(cloud, view.height);
  nlohmann::json scene;
  put_points(cloud, scene);
  put_triangles(mesh, scene);
  scene["view"] = first_view(cloud, view);
  return {.json = scene.dump(), .grasps = grippers / kVerticesPerGripper};
}

}  // namespace grasppanda::run
