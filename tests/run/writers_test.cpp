#include "lib/run/writer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "lib/io/image.h"
#include "lib/io/npy.h"
#include "lib/io/ply.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using nlohmann::ordered_json;
using run::GraspResult;
using tests::read_bytes;
using tests::ScratchFolder;

namespace {

std::vector<geometry::Grasp> two_grasps() {
  geometry::Grasp first{.score = 1.25F, .width = 0.08F, .height = 0.02F, .depth = 0.025F};
  first.rotation = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  first.translation = {0.1F, -0.2F, 0.5F};
  geometry::Grasp second{.score = 0.5F, .width = 0.04F, .height = 0.02F, .depth = 0.01F};
  second.translation = {0, 0, 0.4F};
  second.object_id = 7;
  return {first, second};
}

// A quarter turn about z and a step.
constexpr run::Matrix4 kBaseFromCamera = {0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};

}  // namespace

TEST_CASE("the list of writers is complete and finds its formats") {
  for (const char* format : {"npy", "json", "ply", "png"}) {
    REQUIRE(run::find_writer(format) != nullptr);
    CHECK(run::find_writer(format)->format == format);
  }
  CHECK(run::find_writer("html") == nullptr);
  CHECK(run::find_writer("npy")->file("scene_0100/realsense/0000") ==
        "predictions/scene_0100/realsense/0000.npy");
  CHECK(run::find_writer("png")->file("scene.v2.final") == "pictures/scene.v2.final.png");
}

TEST_CASE("npy: N x 17 float32 in the order of the columns") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  run::write_npy({.name = "a", .grasps = grasps}, scratch.path() / "a.npy");
  const io::Array array = io::read_npy(scratch.path() / "a.npy");
  REQUIRE(array.dtype == io::DType::float32);
  REQUIRE(array.shape == std::vector<std::int64_t>{2, 17});
  const auto values = array.as<float>();
  const std::vector<float> first = {1.25F, 0.08F, 0.02F, 0.025F, 0,    0,     1,    1, 0,
                                    0,     0,     1,     0,      0.1F, -0.2F, 0.5F, -1};
  CHECK(std::vector<float>(values.begin(), values.begin() + 17) == first);
  CHECK(values[33] == 7);
}

TEST_CASE("npy: no grasps are an array of shape (0, 17)") {
  const ScratchFolder scratch;
  run::write_npy({.name = "a"}, scratch.path() / "a.npy");
  const io::Array array = io::read_npy(scratch.path() / "a.npy");
  CHECK(array.dtype == io::DType::float32);
  CHECK(array.shape == std::vector<std::int64_t>{0, 17});
}

TEST_CASE("json: names, units and the pose beside the seventeen numbers") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  const std::vector<std::pair<std::string, std::vector<float>>> extra = {
      {"width_predicted", {0.03F, 0.0F}}};
  run::write_json({.name = "a", .grasps = grasps, .extra = extra}, scratch.path() / "a.json");
  const ordered_json json = ordered_json::parse(read_bytes(scratch.path() / "a.json"));
  CHECK(json["frame"] == "camera");
  for (const char* field : {"score", "width", "height", "depth", "rotation", "translation",
                            "object_id", "camera_from_grasp", "width_predicted"}) {
    CHECK(json["fields"][field].is_string());
    CHECK(json["grasps"][0].contains(field));
  }
  CHECK(json["fields"]["score"].get<std::string>().find("not a probability") != std::string::npos);
  const ordered_json& first = json["grasps"][0];
  CHECK(first["score"].get<float>() == 1.25F);
  CHECK(first["width"].get<float>() == 0.08F);
  CHECK(first["rotation"] == ordered_json({{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}));
  REQUIRE(first["camera_from_grasp"].size() == 4);
  CHECK(first["camera_from_grasp"][2][3].get<float>() == 0.5F);
  CHECK(first["camera_from_grasp"][3] == ordered_json({0, 0, 0, 1}));
  CHECK(first["width_predicted"].get<float>() == 0.03F);
  CHECK(json["grasps"][1]["object_id"] == 7);
}

TEST_CASE("json: no grasps are an empty list in the same form") {
  const ScratchFolder scratch;
  run::write_json({.name = "a"}, scratch.path() / "a.json");
  const ordered_json json = ordered_json::parse(read_bytes(scratch.path() / "a.json"));
  CHECK(json["grasps"].is_array());
  CHECK(json["grasps"].empty());
  CHECK(json["fields"].contains("translation"));
}

TEST_CASE("results in the robot's frame: npy, json and ply move, and say so") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  const std::vector<double> cloud = {0.1, -0.2, 0.5, 0, 0, 1};
  const GraspResult result{
      .name = "a", .grasps = grasps, .cloud_xyz = cloud, .base_from_camera = kBaseFromCamera};
  const auto moved = run::grasps_in_file_frame(result);
  // x' = -y + 1, y' = x + 2, z' = z + 3
  CHECK(moved[0].translation[0] == 1.2F);
  CHECK(moved[0].translation[1] == 2.1F);
  CHECK(moved[0].translation[2] == 3.5F);
  CHECK(moved[0].rotation == std::array<float, 9>{-1, 0, 0, 0, 0, 1, 0, 1, 0});
  CHECK(moved[0].score == grasps[0].score);

  run::write_json(result, scratch.path() / "a.json");
  const ordered_json json = ordered_json::parse(read_bytes(scratch.path() / "a.json"));
  CHECK(json["frame"] == "base");
  CHECK(json["base_from_camera"][1] == ordered_json({1.0, 0.0, 0.0, 2.0}));
  CHECK(json["grasps"][0].contains("base_from_grasp"));
  CHECK_FALSE(json["grasps"][0].contains("camera_from_grasp"));

  run::write_ply(result, scratch.path() / "a.ply");
  const io::PointCloud read = io::read_ply(scratch.path() / "a.ply");
  REQUIRE(read.points() >= 2);
  CHECK(read.xyz[0] == Approx(1.2));
  CHECK(read.xyz[1] == Approx(2.1));
  CHECK(read.xyz[2] == Approx(3.5));
}

TEST_CASE("ply: the cloud first, then the grippers; without either still a file") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  const std::vector<double> cloud = {0.1, -0.2, 0.5, 0, 0, 1};
  run::write_ply({.name = "a", .grasps = grasps, .cloud_xyz = cloud}, scratch.path() / "a.ply");
  CHECK(io::read_ply(scratch.path() / "a.ply").points() == 2 + 2 * 32);
  run::write_ply({.name = "b"}, scratch.path() / "b.ply");
  CHECK(io::read_ply(scratch.path() / "b.ply").points() == 0);
}

TEST_CASE("png: over the frame's size, or a view of a cloud without camera") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  const std::vector<double> cloud = {0.1, -0.2, 0.5, 0, 0, 1, 0.05, 0.02, 0.7};
  const run::PictureSource camera{
      .width = 64, .height = 48, .intrinsics = {60, 60, 32, 24}, .color = nullptr};
  run::write_png({.name = "a", .grasps = grasps, .cloud_xyz = cloud, .picture = camera},
                 scratch.path() / "a.png");
  const io::Image framed = io::read_image(scratch.path() / "a.png");
  CHECK(framed.width == 64);
  CHECK(framed.height == 48);
  run::write_png({.name = "b", .grasps = grasps, .cloud_xyz = cloud}, scratch.path() / "b.png");
  CHECK(io::read_image(scratch.path() / "b.png").width > 64);
  run::write_png({.name = "c"}, scratch.path() / "c.png");  // nothing at all
  CHECK(io::read_image(scratch.path() / "c.png").width > 0);
}

TEST_CASE("equal results are equal bytes") {
  const ScratchFolder scratch;
  const auto grasps = two_grasps();
  const std::vector<double> cloud = {0.1, -0.2, 0.5, 0, 0, 1};
  const GraspResult result{.name = "a", .grasps = grasps, .cloud_xyz = cloud};
  for (const run::WriterEntry& writer : run::writer_list()) {
    if (writer.write == nullptr) continue;  // of detections
    writer.write(result, scratch.path() / "first");
    writer.write(result, scratch.path() / "second");
    CHECK(read_bytes(scratch.path() / "first") == read_bytes(scratch.path() / "second"));
  }
}
