// The frame that the demo runs on keeps what it was chosen for, with the trained weights.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/geometry/camera.h"
#include "lib/io/image.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"

using namespace grasppanda;
using namespace grasppanda::tests;
using geometry::Vec3;
namespace fs = std::filesystem;

namespace {

// Points of objects, by the frame's own label image.
std::vector<Vec3> object_points(const fs::path& frame, const geometry::Intrinsics& intrinsics) {
  const io::Image depth = io::read_image(frame / "depth.png");
  const io::Image label = io::read_image(frame / "label.png");
  REQUIRE(depth.bits == 16);
  REQUIRE(label.pixels.size() == depth.samples());
  std::vector<Vec3> out;
  for (std::int64_t v = 0; v < depth.height; ++v)
    for (std::int64_t u = 0; u < depth.width; ++u) {
      const auto at = static_cast<std::size_t>(v * depth.width + u);
      if (label.u8()[at] != 0 && depth.u16()[at] != 0)
        out.push_back(geometry::back_project(intrinsics, static_cast<double>(u),
                                             static_cast<double>(v), depth.u16()[at] / 1000.0));
    }
  return out;
}

bool within(const std::vector<Vec3>& points, const Vec3& q, double distance) {
  return std::any_of(points.begin(), points.end(), [&](const Vec3& p) {
    const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return x * x + y * y + z * z < distance * distance;
  });
}

}  // namespace

TEST_CASE("the demo frame gives grasps that are many, free and at the objects", "[cli][infer]") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const fs::path frame = fs::path(GRASPPANDA_SOURCE_DIR) / "tests/data/frames/demo";
  const InferFolder folder("[npy]");
  const Finished finished = folder.program(
      {"infer", "-c", GRASPPANDA_SOURCE_DIR "/configs/contact_graspnet.yaml", "--checkpoint",
       weights.string(), "--set", "output.formats=[npy, png]", frame.string()});
  REQUIRE(finished.status == 0);
  const fs::path run = folder.run_of(finished);
  const auto input = input_of(run, "demo");
  const double found = input["counts"]["grasps"].get<double>();
  const double free = input["counts"]["after_collision"].get<double>();
  CHECK(free >= 0.6 * found);

  const io::Array grasps = io::read_npy(run / "predictions/demo.npy");
  const auto rows = grasps.as<float>();
  const std::int64_t kept = grasps.shape[0];
  CHECK(kept >= 20);
  const auto& k = input["intrinsics"];
  const std::vector<Vec3> objects = object_points(frame, {k["fx"], k["fy"], k["cx"], k["cy"]});
  REQUIRE(objects.size() > 10000);
  std::int64_t near = 0;
  for (std::int64_t i = 0; i < kept; ++i) {
    const float* g = rows.data() + 17 * i;
    const auto tip = [&](double side) {
      Vec3 out{};
      for (std::size_t c = 0; c < 3; ++c)
        out[c] = g[13 + c] + g[4 + 3 * c] * g[3] + side * g[5 + 3 * c] * g[1] / 2;
      return out;
    };
    near += within(objects, tip(1), 0.01) || within(objects, tip(-1), 0.01);
  }
  CHECK(near >= 0.7 * static_cast<double>(kept));
  CHECK(io::read_image(run / "pictures/demo.png").width == 1280);
}
