#include "lib/datasets/masked_cloud.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "lib/datasets/inputs.h"
#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/npy.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// 4 x 2 pixels, fx = 2, fy = 4, principal point (1, 0), millimetres.
Frame small_frame() {
  Frame frame;
  frame.depth = DepthImage{4, 2, {1000, 0, 2000, -5, kNan, 500, kInf, 4000}, 1000};
  frame.intrinsics = {2, 4, 1, 0};
  return frame;
}

Frame stored(std::vector<double> xyz, std::vector<std::uint8_t> rgb = {}) {
  Frame frame;
  frame.cloud = io::PointCloud{std::move(xyz), std::move(rgb)};
  return frame;
}

using Counts = std::vector<std::pair<std::string, std::int64_t>>;

}  // namespace

TEST_CASE("masked cloud: points, pixels and counts, by hand") {
  const MaskedCloud cloud = masked_cloud(small_frame(), {});
  // Pixel (u, v) with z: x = (u - 1) z / 2, y = v z / 4.
  CHECK(cloud.xyz == std::vector<double>{-0.5, 0, 1, 1, 0, 2, 0, 0.125, 0.5, 4, 1, 4});
  CHECK(cloud.pixel == std::vector<std::int64_t>{0, 2, 5, 7});
  CHECK(cloud.counts == Counts{{"pixels", 8},
                               {"zero_pixels", 1},
                               {"negative_pixels", 1},
                               {"nan_pixels", 1},
                               {"infinite_pixels", 1},
                               {"valid_pixels", 4},
                               {"after_mask", 4}});
  CHECK(cloud.rgb.empty());
  CHECK(cloud.warnings.empty());
}

TEST_CASE("masked cloud: the order of operations is that of the specification") {
  // ((u - cx) * z) / fx and (u - cx) / fx * z differ in the last bits for these numbers.
  Frame frame;
  frame.depth = DepthImage{3, 1, {0, 0, 787}, 1000};
  frame.intrinsics = {631.54864502, 631.20751953, 638.43517329, 366.49904066};
  const MaskedCloud cloud = masked_cloud(frame, {});
  const double z = 787.0 / 1000.0;
  CHECK(cloud.xyz[0] == ((2 - 638.43517329) * z) / 631.54864502);
  CHECK(cloud.xyz[1] == ((0 - 366.49904066) * z) / 631.20751953);
}

TEST_CASE("masked cloud: depth limits, workspace, limit box") {
  Frame frame = small_frame();
  CloudSettings settings;
  settings.depth_min = 0.5;
  settings.depth_max = 2.0;
  CHECK(masked_cloud(frame, settings).pixel == std::vector<std::int64_t>{0, 2, 5});
  frame.workspace = std::vector<std::uint8_t>{255, 1, 0, 0, 0, 1, 0, 1};
  MaskedCloud cloud = masked_cloud(frame, settings);
  CHECK(cloud.pixel == std::vector<std::int64_t>{0, 5});
  CHECK(std::map<std::string, std::int64_t>(cloud.counts.begin(), cloud.counts.end()) ==
        std::map<std::string, std::int64_t>{{"pixels", 8},
                                            {"zero_pixels", 1},
                                            {"negative_pixels", 1},
                                            {"nan_pixels", 1},
                                            {"infinite_pixels", 1},
                                            {"valid_pixels", 4},
                                            {"after_depth_limits", 3},
                                            {"workspace_pixels", 4},
                                            {"after_mask", 2}});
  settings.limit_box = {{-0.5, 0, 0, 0.1, 0, 1}};  // the first point lies on three faces
  cloud = masked_cloud(frame, settings);
  CHECK(cloud.pixel == std::vector<std::int64_t>{0});
  CHECK(cloud.counts.back() == std::pair<std::string, std::int64_t>{"after_limit_box", 1});
}

TEST_CASE("masked cloud: colours belong to their points") {
  Frame frame = small_frame();
  frame.color.emplace();
  for (std::uint8_t i = 0; i < 24; ++i) frame.color->pixels.push_back(i);
  CHECK(masked_cloud(frame, {}).rgb ==
        std::vector<std::uint8_t>{0, 1, 2, 6, 7, 8, 15, 16, 17, 21, 22, 23});
}

TEST_CASE("masked cloud: an empty one names the stage, once") {
  Frame frame = small_frame();
  const auto only_warning = [](const MaskedCloud& cloud) {
    REQUIRE(cloud.points() == 0);
    REQUIRE(cloud.warnings.size() == 1);
    return cloud.warnings[0];
  };
  CloudSettings settings;
  settings.limit_box = {{9, 10, 9, 10, 9, 10}};
  CHECK(only_warning(masked_cloud(frame, settings)).find("limit_box") != std::string::npos);
  settings.depth_max = 0.1;
  CHECK(only_warning(masked_cloud(frame, settings)).find("depth.max") != std::string::npos);
  frame.workspace = std::vector<std::uint8_t>(8, 0);
  CHECK(only_warning(masked_cloud(frame, {})).find("workspace mask") != std::string::npos);
  frame.depth->raw.assign(8, 0);
  CHECK(only_warning(masked_cloud(frame, {})).find("no pixel") != std::string::npos);
  CHECK(only_warning(masked_cloud(stored({}), {})).find("stored cloud") != std::string::npos);
}

TEST_CASE("masked cloud: a unit that cannot be right is spoken of") {
  Frame frame = small_frame();
  frame.depth->factor = 1;
  MaskedCloud cloud = masked_cloud(frame, {});
  REQUIRE(cloud.warnings.size() == 1);
  CHECK(cloud.warnings[0].find("1500 m") != std::string::npos);  // the mean of 1000 and 2000
  frame.depth->factor = 1e6;
  REQUIRE(masked_cloud(frame, {}).warnings.size() == 1);
  CHECK(masked_cloud(frame, {}).warnings[0].find("0.0015 m") != std::string::npos);
  CHECK(masked_cloud(stored({100, 0, 700, 0, 0, 600, 0, 50, 650}), {}).warnings.size() == 1);
  CHECK(masked_cloud(stored({0.1, 0, -0.02, 0, 0, 0.1}), {}).warnings.empty());  // centred, z up
}

TEST_CASE("masked cloud: stored clouds lose what is not finite") {
  const MaskedCloud cloud = masked_cloud(
      stored({1, 2, 3, kNan, 0, 0, 4, 5, 6, 0, kInf, 0}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
      {});
  CHECK(cloud.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(cloud.rgb == std::vector<std::uint8_t>{1, 2, 3, 7, 8, 9});
  CHECK(cloud.pixel.empty());
  CHECK(cloud.counts == Counts{{"stored_points", 4}, {"valid_points", 2}});
  REQUIRE(cloud.warnings.size() == 1);
  CHECK(cloud.warnings[0].find("2 points") == 0);
}

TEST_CASE("masked cloud: object masks by pixel and by point") {
  const tests::ScratchFolder scratch;
  CloudSettings settings;
  io::Image picture;
  picture.width = 4;
  picture.height = 2;
  picture.channels = 1;
  picture.pixels = {0, 0, 7, 0, 0, 1, 0, 0};
  const auto png = scratch.path() / "object.png";
  io::write_png(png, picture);
  settings.object_mask = png;
  MaskedCloud cloud = masked_cloud(small_frame(), settings);
  CHECK(cloud.object_mask == std::vector<std::uint8_t>{0, 1, 1, 0});
  CHECK(cloud.counts.back() == std::pair<std::string, std::int64_t>{"object_points", 2});
  settings.limit_box = {{-9, 9, -9, 9, 0, 1}};
  CHECK(masked_cloud(small_frame(), settings).object_mask == std::vector<std::uint8_t>{0, 1});
  settings.limit_box.reset();

  const auto npy = scratch.path() / "object.npy";
  settings.object_mask = npy;
  io::write_npy(npy, io::make_array<std::int64_t>({4}, std::vector<std::int64_t>{1, 0, 0, 1}));
  CHECK(masked_cloud(small_frame(), settings).object_mask == std::vector<std::uint8_t>{1, 0, 0, 1});
  const Frame four = stored({kNan, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  CHECK(masked_cloud(four, settings).object_mask == std::vector<std::uint8_t>{0, 0, 1});
  CHECK_THROWS_AS(masked_cloud(stored({1, 1, 1}), settings), io::FormatError);
  settings.object_mask = png;
  CHECK_THROWS_AS(masked_cloud(four, settings), io::FormatError);
}

TEST_CASE("cloud extent: median of an even count is the mean of the middle two") {
  const CloudExtent extent = cloud_extent({0, 1, 2, 4, -1, 8, 2, 0, 4, 2, 4, 6});
  CHECK(extent.points == 4);
  CHECK(extent.min == geometry::Vec3{0, -1, 2});
  CHECK(extent.max == geometry::Vec3{4, 4, 8});
  CHECK(extent.mean == geometry::Vec3{2, 1, 5});
  CHECK(extent.median_depth == 5);
  CHECK(cloud_extent({0, 0, 3}).median_depth == 3);
  CHECK(cloud_extent({}).points == 0);
}

TEST_CASE("masked cloud: the fixture frame") {
  const auto folder = std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "tests/data/frame";
  const Frame frame = open_input(list_inputs({folder.string()})[0], {});
  const MaskedCloud cloud = masked_cloud(frame, {});
  CHECK(cloud.points() == 20103);
  const CloudExtent extent = cloud_extent(cloud.xyz);
  CHECK(extent.min[0] == Approx(-0.240263).margin(2e-6));
  CHECK(extent.mean[2] == Approx(0.626822).margin(2e-6));
  CHECK(frame.files.size() == 3);
}

TEST_CASE("masked cloud: the recorded frame") {
  GP_NEED_DATA(folder, "data/frames/graspnet_example");
  const Frame frame = open_input(list_inputs({folder.string()})[0], {});
  const MaskedCloud cloud = masked_cloud(frame, {});
  CHECK(cloud.points() == 513688);
  CHECK(frame.intrinsics.fx == Approx(631.54864502).epsilon(1e-10));
  CHECK(frame.intrinsics.cy == Approx(366.49904066).epsilon(1e-10));

  GP_NEED_DATA(golden, "goldens/gsnet");
  const io::Array head = io::read_npy(golden / "cloud_masked_head.npy");
  const auto rows = head.as<double>();
  REQUIRE(rows.size() == 48);
  CHECK(std::equal(rows.begin(), rows.end(), cloud.xyz.begin()));
  const io::Array sum = io::read_npy(golden / "cloud_masked_sum.npy");
  const CloudExtent extent = cloud_extent(cloud.xyz);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    CHECK(extent.mean[axis] * 513688 == Approx(sum.as<double>()[axis]).epsilon(1e-10));
  }
}
