// What goes in beside the cloud, and what comes out beside the predictions.
#include <nlohmann/json.hpp>

#include "app/commands/output_frame.h"
#include "app/commands/stage_dump.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using tests::ScratchFolder;

TEST_CASE("stages are written under their names with their types") {
  const ScratchFolder scratch;
  const models::StageObserver observe =
      app::stage_writer(scratch.path() / "stages", "scene_0100/realsense/0000");
  observe("points", at::arange(6, at::kFloat).reshape({2, 3}).t());  // not contiguous
  observe("index", at::arange(4, at::kLong));
  observe("mask", at::ones({2}, at::kBool));
  observe("empty", at::empty({0, 4, 4}, at::kFloat));
  const std::filesystem::path folder = scratch.path() / "stages/scene_0100/realsense/0000";
  const io::Array points = io::read_npy(folder / "points.npy");
  CHECK(points.shape == std::vector<std::int64_t>{3, 2});
  CHECK(io::to_float64(points) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(io::read_npy(folder / "index.npy").dtype == io::DType::int64);
  CHECK(io::read_npy(folder / "mask.npy").dtype == io::DType::boolean);
  CHECK(io::read_npy(folder / "empty.npy").shape == std::vector<std::int64_t>{0, 4, 4});
}

TEST_CASE("base_from_camera: every form that is accepted") {
  const ScratchFolder scratch;
  const run::Matrix4 wanted = {0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
  const char* rows = "[[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]";
  CHECK(app::read_base_from_camera(scratch.file("rows.json", rows)) == wanted);
  CHECK(app::read_base_from_camera(scratch.file(
            "object.json", std::string("{\"base_from_camera\": ") + rows + "}")) == wanted);
  CHECK(app::read_base_from_camera(scratch.file(
            "flat.json", "[0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1]")) == wanted);
  const std::vector<double> numbers(wanted.begin(), wanted.end());
  io::write_npy(scratch.path() / "a.npy", io::make_array({4, 4}, numbers));
  CHECK(app::read_base_from_camera(scratch.path() / "a.npy") == wanted);
}

TEST_CASE("base_from_camera: what is no rigid motion is refused by name") {
  const ScratchFolder scratch;
  const auto message = [&](const char* json) -> std::string {
    try {
      app::read_base_from_camera(scratch.file("m.json", json));
    } catch (const io::FormatError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message("[1, 2, 3]").find("holds 3 numbers") != std::string::npos);
  CHECK(message("[\"a\"]").find("no number") != std::string::npos);
  CHECK(message("{\"camera\": 1}").find("m.json") != std::string::npos);
  CHECK(message("[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]").find("no rotation") !=
        std::string::npos);
  CHECK(message("[[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]]").find("mirror") != std::string::npos);
  CHECK(message("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,1,1]]").find("last row") != std::string::npos);
  CHECK(message("").find("m.json") != std::string::npos);
}
