#include "lib/datasets/camera_meta.h"

#include <nlohmann/json.hpp>
#include <string>

#include "lib/datasets/camera_yaml.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;

namespace {

CameraMeta from(const tests::ScratchFolder& scratch, const std::string& name,
                const std::string& text) {
  return read_camera_meta(scratch.file(name, text));
}

std::string refusal(const std::string& name, const std::string& text) {
  const tests::ScratchFolder scratch;
  try {
    from(scratch, name, text);
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return "accepted";
}

bool is_camera(const CameraMeta& meta) {
  return meta.intrinsics && meta.intrinsics->fx == 600 && meta.intrinsics->fy == 601 &&
         meta.intrinsics->cx == 320.5 && meta.intrinsics->cy == 240.25;
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find('\n') == std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("camera meta: every spelling of a camera in JSON") {
  const tests::ScratchFolder scratch;
  for (const char* text : {
           R"({"intrinsic_matrix": [[600, 0, 320.5], [0, 601, 240.25], [0, 0, 1]]})",
           R"({"intrinsic_matrix": [600, 0, 320.5, 0, 601, 240.25, 0, 0, 1]})",
           R"({"K": [600, 0, 320.5, 0, 601, 240.25, 0, 0, 1], "D": [0, "x"]})",
           R"({"camera_matrix": {"rows": 3, "data": [600, 0, 320.5, 0, 601, 240.25, 0, 0, 1]}})",
           R"({"fx": 600, "fy": 601, "cx": 320.5, "cy": 240.25})",
           R"([[600, 0, 320.5], [0, 601, 240.25], [0, 0, 1]])",
       }) {
    INFO(text);
    const CameraMeta meta = from(scratch, "k.json", text);
    CHECK(is_camera(meta));
    CHECK_FALSE(meta.factor_depth.has_value());
  }
  const CameraMeta meta = from(scratch, "meta.json", R"({"factor_depth": 1000, "width": 640})");
  CHECK_FALSE(meta.intrinsics.has_value());
  CHECK(meta.factor_depth == 1000.0);
  CHECK(meta.width == 640);
  CHECK_FALSE(meta.height.has_value());
}

TEST_CASE("camera meta: ROS and OpenCV calibrations, plain YAML") {
  const tests::ScratchFolder scratch;
  CHECK(is_camera(from(scratch, "ros.yaml",
                       "image_width: 640\nimage_height: 480\ncamera_name: front\n"
                       "camera_matrix:\n  rows: 3\n  cols: 3\n"
                       "  data: [600, 0, 320.5, 0, 601,\n         240.25, 0, 0, 1]\n"
                       "distortion_model: plumb_bob\n")));
  CHECK(is_camera(
      from(scratch, "opencv.yml",
           "%YAML:1.0\n---\ncamera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n"
           "   dt: d\n   data: [ 6.00e+02, 0., 320.5, 0., 601., 240.25, 0., 0., 1. ]\n")));
  CHECK(is_camera(from(scratch, "k.yaml", "fx: 600\nfy: 601 # px\ncx: 320.5\ncy: 240.25\r\n")));
  CHECK(is_camera(from(scratch, "rows.yaml",
                       "intrinsic_matrix:\n  - [600, 0, 320.5]\n  - [0, 601, 240.25]\n"
                       "  - [0, 0, 1]\n")));
  CHECK(is_camera(from(scratch, "nested.yaml",
                       "intrinsic_matrix: [[600, 0, 320.5],\n  [0, 601, 240.25], [0, 0, 1]]\n"
                       "factor_depth: 1000\n")));
  CHECK(contains(refusal("k.yaml", "K: [600, 0, 320.5\n"), "a list is not closed"));
  CHECK(contains(refusal("k.yaml", "a: 1\nK: [600, zero]\n"),
                 ":2: YAML: a list of numbers holds 'zero'"));
}

TEST_CASE("camera meta: npy matrices and quadruples") {
  const tests::ScratchFolder scratch;
  const auto npy = scratch.path() / "camK.npy";
  io::write_npy(npy, io::make_array<float>(
                         {3, 3}, std::vector<float>{600, 0, 320.5, 0, 601, 240.25, 0, 0, 1}));
  CHECK(is_camera(read_camera_meta(npy)));
  io::write_npy(npy, io::make_array<double>({4}, std::vector<double>{600, 601, 320.5, 240.25}));
  CHECK(is_camera(read_camera_meta(npy)));
  io::write_npy(npy, io::make_array<double>({2}, std::vector<double>{600, 601}));
  CHECK_THROWS_AS(read_camera_meta(npy), io::FormatError);
}

TEST_CASE("camera meta: what cannot be a camera is refused with the reason") {
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [0, 0, 3, 0, 1, 2, 0, 0, 1]})"),
                 "not positive"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [-1, 0, 3, 0, 1, 2, 0, 0, 1]})"),
                 "not positive"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [1, 0, 0, 0, 1, 0, 3, 2, 1]})"),
                 "transposed"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [1, 0, 3, 0, 1, 2]})"), "6 numbers"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [[1, 0, "x"], [0, 1, 2], [0, 0, 1]]})"),
                 "no number"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": "none"})"), "not a 3x3"));
  CHECK(contains(refusal("k.json", R"({"intrinsic_matrix": [[[[[1]]]]]})"), "no number"));
  CHECK(contains(refusal("k.json", R"({"fx": 600, "fy": 600, "cx": 3})"), "'cy' is missing"));
  CHECK(contains(refusal("k.json", R"({"factor_depth": 0})"), "factor_depth is 0"));
  CHECK(contains(refusal("k.json", R"({"factor_depth": -1000})"), "factor_depth is -1000"));
  CHECK(contains(refusal("k.json", R"({"factor_depth": "1000"})"), "no number"));
  CHECK(contains(refusal("k.json", "{\n \"fx\": 1,\n"), "JSON ends too early"));
  CHECK(contains(refusal("k.json", "fx = 1"), "not valid JSON"));
  CHECK(contains(refusal("k.json", "<html>"), "an HTML page"));
  CHECK(contains(refusal("meta.mat", "MATLAB 5.0 MAT-file"), "MAT 5"));
  CHECK(contains(refusal("meta.mat", ""), "an empty file"));
}
