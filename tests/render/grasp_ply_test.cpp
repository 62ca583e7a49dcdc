#include "lib/render/grasp_ply.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/io/ply.h"
#include "lib/render/score_color.h"
#include "tests/catch.h"

using namespace grasppanda;

namespace {

geometry::Grasp upright(float score) {
  geometry::Grasp grasp;  // approach x, opening y
  grasp.score = score;
  grasp.width = 0.06f;
  grasp.depth = 0.03f;
  grasp.translation = {1, 2, 3};
  return grasp;
}

}  // namespace

TEST_CASE("cloud and grippers come back from the PLY file") {
  const std::vector<double> xyz = {0.25, -1.5, 2, 1, 1, 1, NAN, 0, 0};
  const std::vector<std::uint8_t> rgb = {10, 20, 30, 40, 50, 60, 0, 0, 0};
  geometry::Grasp bad = upright(0.7f);
  bad.rotation[0] = NAN;
  const std::vector<geometry::Grasp> grasps = {upright(0.9f), bad, upright(0.1f), upright(0.05f)};
  const io::PlyMesh mesh = render::grasp_mesh({xyz, rgb, grasps, 3});
  const std::string bytes = io::ply_bytes(mesh);
  CHECK(bytes == io::ply_bytes(render::grasp_mesh({xyz, rgb, grasps, 3})));

  const io::PointCloud back =
      io::parse_ply(std::as_bytes(std::span(bytes.data(), bytes.size())), "memory");
  REQUIRE(back.points() == 2 + 2 * 32);  // the point and the grasp that are no numbers are out
  REQUIRE(back.rgb.size() == 3u * 66u);
  CHECK(back.xyz[0] == 0.25);
  CHECK(back.xyz[1] == -1.5);
  CHECK(back.rgb[4] == 50);
  const auto best = render::score_color(1), worst = render::score_color(0);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(back.rgb[3 * 2 + i] == best[i]);
    CHECK(back.rgb[3 * 65 + i] == worst[i]);
  }
  CHECK(mesh.faces.size() == 2u * 48u * 3u);
}

TEST_CASE("the gripper's boxes have the field's measures") {
  const std::vector<geometry::Grasp> grasps = {upright(1)};
  const io::PlyMesh mesh = render::grasp_mesh({{}, {}, grasps, 0});
  REQUIRE(mesh.xyz.size() == 3u * 32u);
  float low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
  for (std::size_t i = 0; i < mesh.xyz.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], mesh.xyz[i]);
    high[i % 3] = std::max(high[i % 3], mesh.xyz[i]);
  }
  // Tip at depth 0.03; palm at -0.02, 4 mm thick, handle 0.04 behind; fingers outside of the
  // opening of 0.06.
  CHECK(high[0] == Approx(1.03));
  CHECK(low[0] == Approx(1 - 0.02 - 0.004 - 0.04));
  CHECK(high[1] == Approx(2.034));
  CHECK(low[1] == Approx(2 - 0.034));
  CHECK(high[2] == Approx(3.002));
  CHECK(low[2] == Approx(2.998));
}

TEST_CASE("faces look outwards and close the boxes") {
  const std::vector<geometry::Grasp> grasps = {upright(1)};
  const io::PlyMesh mesh = render::grasp_mesh({{}, {}, grasps, 0});
  REQUIRE(mesh.faces.size() == 48u * 3u);
  double volume = 0;  // by the divergence theorem; relative to the first vertex
  for (std::size_t f = 0; f < mesh.faces.size(); f += 3) {
    double p[3][3];
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t c = 0; c < 3; ++c)
        p[k][c] = mesh.xyz[3 * static_cast<std::size_t>(mesh.faces[f + k]) + c] - mesh.xyz[c];
    volume += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
               p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
              6;
  }
  // Two fingers of 0.05, the palm of 0.068, the handle of 0.04, all 4 mm by 4 mm thick.
  CHECK(volume == Approx((2 * 0.05 + 0.068 + 0.04) * 0.004 * 0.004).epsilon(1e-3));
}

TEST_CASE("no cloud, no colour, no grasps") {
  const io::PlyMesh empty = render::grasp_mesh({{}, {}, {}, 50});
  CHECK(empty.xyz.empty());
  CHECK(empty.faces.empty());
  CHECK_FALSE(io::ply_bytes(empty).empty());
  const std::vector<double> xyz = {1, 2, 3};
  const io::PlyMesh grey = render::grasp_mesh({xyz, {}, {}, 50});
  REQUIRE(grey.rgb.size() == 3);
  CHECK(grey.rgb[0] > 128);
}
