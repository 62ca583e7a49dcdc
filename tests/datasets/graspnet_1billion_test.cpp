#include "lib/datasets/graspnet_1billion.h"

#include <algorithm>
#include <set>
#include <string>

#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"
#include "lib/datasets/workspace_box.h"
#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/npy.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const InputRef& input : list_inputs(arguments)) names.push_back(input.name);
  return names;
}

std::string refusal(const InputRef& input, const OpenSettings& settings = {}) {
  try {
    open_input(input, settings);
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return {};
}

io::Image grey16(std::int64_t width, std::int64_t height,
                 const std::vector<std::uint16_t>& values) {
  io::Image image;
  image.width = width;
  image.height = height;
  image.channels = 1;
  image.bits = 16;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  image.pixels.assign(bytes, bytes + 2 * values.size());
  return image;
}

void write_matrices(const fs::path& path, std::vector<std::int64_t> shape,
                    const std::vector<double>& values) {
  io::write_npy(path, io::make_array<double>(std::move(shape), values));
}

/// A scene of one camera and views 0000, 0002 and 0010, 2 x 2 pixels, all poses the identity.
fs::path make_scene(const tests::ScratchFolder& scratch, const std::string& scene) {
  const fs::path camera = scratch.path() / "scenes" / scene / "realsense";
  for (const char* part : {"depth", "label", "meta"}) fs::create_directories(camera / part);
  for (const char* view : {"0010", "0000", "0002"}) {
    const std::string file = std::string(view) + ".png";
    io::write_png(camera / "depth" / file, grey16(2, 2, {1000, 2000, 0, 1000}));
    io::write_png(camera / "label" / file, grey16(2, 2, {1, 0, 0, 300}));
  }
  write_matrices(camera / "camK.npy", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  std::vector<double> poses;
  for (int i = 0; i < 11; ++i) {
    poses.insert(poses.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  }
  write_matrices(camera / "camera_poses.npy", {11, 4, 4}, poses);
  write_matrices(camera / "cam0_wrt_table.npy", {4, 4},
                 {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  return camera;
}

}  // namespace

TEST_CASE("GraspNet-1Billion: names are the same wherever the walk starts") {
  const tests::ScratchFolder scratch;
  const fs::path camera = make_scene(scratch, "scene_0100");
  make_scene(scratch, "scene_0099");
  const std::vector<std::string> one = {"scene_0100/realsense/0000", "scene_0100/realsense/0002",
                                        "scene_0100/realsense/0010"};
  CHECK(names({camera.string()}) == one);
  CHECK(names({camera.string() + "/"}) == one);
  CHECK(names({camera.parent_path().string()}) == one);
  const auto all = names({scratch.path().string()});
  REQUIRE(all.size() == 6);
  CHECK(all[0] == "scene_0099/realsense/0000");
  CHECK(std::equal(one.begin(), one.end(), all.begin() + 3));
  CHECK(names({(scratch.path() / "scenes").string()}) == all);
}

TEST_CASE("GraspNet-1Billion: one view by its picture or by its name") {
  const tests::ScratchFolder scratch;
  const fs::path camera = make_scene(scratch, "scene_0100");
  const std::vector<std::string> one = {"scene_0100/realsense/0002"};
  CHECK(names({(camera / "0002").string()}) == one);
  CHECK(names({(camera / "depth" / "0002.png").string()}) == one);
  CHECK_THROWS_AS(list_inputs({(camera / "0003").string()}), io::FormatError);
  const fs::path before = fs::current_path();
  fs::current_path(camera);
  CHECK(names({"0002"}) == one);
  CHECK(names({"depth/0002.png"}) == one);
  CHECK(names({"."}).size() == 3);
  fs::current_path(camera / "depth");
  CHECK(names({"0002.png"}) == one);
  CHECK(names({".."}).front() == "scene_0100/realsense/0000");
  fs::current_path(before);
  const auto list = scratch.file("views.txt", "scenes/scene_0100/realsense/0010\n");
  CHECK(names({list.string()}) == std::vector<std::string>{"scene_0100/realsense/0010"});
}

TEST_CASE("GraspNet-1Billion: workspace from labels, by hand") {
  const tests::ScratchFolder scratch;
  const fs::path camera = make_scene(scratch, "scene_0100");
  OpenSettings settings;
  settings.depth_scale = 1000;  // there is no meta: camK.npy and the configuration
  const InputRef input = list_inputs({camera.string()})[0];
  // fx = fy = 1, c = 0. Labelled: pixel 0 at (0, 0, 1), pixel 3 at (1, 1, 1): the box is
  // -0.02..1.02, -0.02..1.02, 0.98..1.02. Pixel 1 at (2, 0, 2) is outside, pixel 2 has no depth.
  const Frame frame = open_input(input, settings);
  CHECK(*frame.workspace == std::vector<std::uint8_t>{1, 0, 0, 1});
  const MaskedCloud cloud = masked_cloud(frame, {});
  CHECK(cloud.xyz == std::vector<double>{0, 0, 1, 1, 1, 1});
  CHECK(cloud.pixel == std::vector<std::int64_t>{0, 3});
  CHECK(frame.files.size() == 5);

  settings.workspace_mask = OpenSettings::Mask::none;
  CHECK(masked_cloud(open_input(input, settings), {}).points() == 3);
}

TEST_CASE("workspace box: a labelled pixel without depth stretches it to the camera") {
  DepthImage depth{3, 1, {1000, 500, 0}, 1000};
  const geometry::Intrinsics k{1, 1, 0, 0};
  const geometry::RigidTransform identity;
  const std::vector<std::uint8_t> without{1, 0, 0}, with{1, 0, 1};
  // Points (0,0,1), (0.5,0,0.5), camera.
  CHECK(*workspace_from_labels(depth, k, without, identity) == std::vector<std::uint8_t>{1, 0, 0});
  CHECK(*workspace_from_labels(depth, k, with, identity) == std::vector<std::uint8_t>{1, 0, 0});
  depth.raw[1] = 10;  // (0.01, 0, 0.01): inside the stretched box only
  CHECK(*workspace_from_labels(depth, k, without, identity) == std::vector<std::uint8_t>{1, 0, 0});
  CHECK(*workspace_from_labels(depth, k, with, identity) == std::vector<std::uint8_t>{1, 1, 0});
  const std::vector<std::uint8_t> none{0, 0, 0};
  CHECK_FALSE(workspace_from_labels(depth, k, none, identity).has_value());
}

TEST_CASE("workspace box: the margin of 2 cm is strict") {
  // Labelled point at z = 1; others 20 mm, and one unit of 0.1 mm less, behind it.
  const DepthImage depth{3, 1, {10000, 10200, 10199}, 10000};
  const geometry::Intrinsics k{1e9, 1e9, 0, 0};
  const std::vector<std::uint8_t> labelled{1, 0, 0};
  const auto inside = workspace_from_labels(depth, k, labelled, {});
  const bool on_the_face = 1.02 < 1.0 + 0.02;
  CHECK(*inside == std::vector<std::uint8_t>{1, on_the_face, 1});
}

TEST_CASE("GraspNet-1Billion: what the workspace needs is told by name") {
  const tests::ScratchFolder scratch;
  const fs::path camera = make_scene(scratch, "scene_0100");
  OpenSettings settings;
  settings.depth_scale = 1000;
  const InputRef input = list_inputs({camera.string()})[2];  // view 10
  REQUIRE(refusal(input, settings).empty());
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  SECTION("poses") {
    for (const char* file : {"camera_poses.npy", "cam0_wrt_table.npy", "label/0010.png"}) {
      fs::rename(camera / file, camera / "aside");
      CHECK(contains(refusal(input, settings), std::string(file) + ": missing"));
      CHECK(contains(refusal(input, settings), "input.workspace_mask"));
      fs::rename(camera / "aside", camera / file);
    }
  }
  SECTION("too few poses") {
    write_matrices(camera / "camera_poses.npy", {1, 4, 4},
                   {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    CHECK(contains(refusal(input, settings), "none for view 10"));
  }
  SECTION("labels") {
    io::write_png(camera / "label/0010.png", grey16(2, 2, {0, 0, 0, 0}));
    CHECK(contains(refusal(input, settings), "no labelled pixel"));
    io::write_png(camera / "label/0010.png", grey16(1, 2, {1, 1}));
    CHECK(contains(refusal(input, settings), "label picture of 1 x 2"));
  }
  SECTION("depth unit") {
    settings.depth_scale.reset();
    CHECK(contains(refusal(input, settings), "set input.depth.scale"));
  }
}

TEST_CASE("GraspNet-1Billion: grasp_mini has its frames and names") {
  GP_NEED_DATA(root, "data/grasp_mini");
  const auto all = names({root.string()});
  CHECK(all.size() == 16);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 16);
  CHECK(all.front() == "scene_0100/kinect/0000");
  CHECK(all[7] == "scene_0100/realsense/0255");
  CHECK(all.back() == "scene_0160/realsense/0255");
  CHECK(names({(root / "scenes").string()}) == all);
  const auto scene = names({(root / "scenes/scene_0160").string()});
  CHECK(std::vector<std::string>(all.begin() + 8, all.end()) == scene);

  for (const InputRef& input : list_inputs({(root / "scenes/scene_0160/kinect").string()})) {
    const Frame frame = open_input(input, {});
    const MaskedCloud cloud = masked_cloud(frame, {});
    CHECK(frame.depth->width == 1280);
    CHECK(frame.color.has_value());
    CHECK(cloud.warnings.empty());
    CHECK(cloud.points() > 10000);
    CHECK(cloud.rgb.size() == cloud.xyz.size());
    CHECK(cloud.points() < std::count_if(frame.depth->raw.begin(), frame.depth->raw.end(),
                                         [](double v) { return v > 0; }));
  }
}

TEST_CASE("GraspNet-1Billion: scene mask equals the golden, pixel by pixel") {
  GP_NEED_DATA(golden, "goldens/gsnet/scene_mini");
  const auto inputs = list_inputs({golden.string()});
  REQUIRE(inputs.size() == 2);
  const std::int64_t points[] = {430225, 373158};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string view = "000" + std::to_string(i);
    CHECK(inputs[i].name == "scene_0100/realsense/" + view);
    const Frame frame = open_input(inputs[i], {});
    const MaskedCloud cloud = masked_cloud(frame, {});
    CHECK(cloud.points() == points[i]);

    const auto expected =
        io::nonzero_pixels(io::read_image(golden / ("expected_mask_" + view + ".png")));
    std::vector<std::uint8_t> mask(expected.size(), 0);
    for (const std::int64_t pixel : cloud.pixel) mask[static_cast<std::size_t>(pixel)] = 1;
    CHECK(mask == expected);

    const io::Array head = io::read_npy(golden / ("expected_masked_head_" + view + ".npy"));
    const auto rows = head.as<double>();
    REQUIRE(rows.size() >= 3);
    CHECK(std::equal(rows.begin(), rows.end(), cloud.xyz.begin()));
    const io::Array sum = io::read_npy(golden / ("expected_masked_sum_" + view + ".npy"));
    const CloudExtent extent = cloud_extent(cloud.xyz);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      CHECK(extent.mean[axis] * static_cast<double>(extent.points) ==
            Approx(sum.as<double>()[axis]).epsilon(1e-10));
    }
  }
}
