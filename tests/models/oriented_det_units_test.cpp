// oriented-det's coders, resizing and windows against the goldens.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lib/io/json_file.h"
#include "models/oriented_det/box_coders.h"
#include "models/oriented_det/preprocess.h"
#include "models/oriented_det/selection.h"
#include "models/oriented_det/sliding_windows.h"
#include "tests/catch.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::models::oriented_det {
namespace {

Box box_at(const at::Tensor& rows, std::int64_t i) {
  const float* r = rows.const_data_ptr<float>() + 5 * i;
  return {r[0], r[1], r[2], r[3], r[4]};
}

Bounds bounds_at(const at::Tensor& rows, std::int64_t i) {
  const float* r = rows.const_data_ptr<float>() + 4 * i;
  return {r[0], r[1], r[2], r[3]};
}

/// All rows that `decode` makes, within 1e-4 relative to the largest component of a row; angles
/// modulo pi.
template <class Decode>
void check_rows(const at::Tensor& want, const std::string& name, Decode decode) {
  CAPTURE(name);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < want.size(0); ++i) {
    const Box got = decode(i);
    const Box expected = box_at(want, i);
    const float most =
        std::max({1.0F, std::abs(expected.cx), std::abs(expected.cy), expected.w, expected.h});
    const float off = std::max({std::abs(got.cx - expected.cx), std::abs(got.cy - expected.cy),
                                std::abs(got.w - expected.w), std::abs(got.h - expected.h)});
    const float turn = std::abs(std::remainder(got.angle - expected.angle, 3.14159265F));
    wrong += !(off <= 1e-4F * most) || !(turn <= 1e-4F);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Coders of oriented-det meet the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/coders.npz");
  const tests::StageGolden golden(file);
  const at::Tensor anchors = golden("anchors"), raw = golden("raw_boxes");
  check_rows(golden("le90_tensor"), "le90", [&](auto i) { return in_le90(box_at(raw, i)); });
  const at::Tensor deltas5 = golden("deltas5"), deltas6 = golden("deltas6");
  const auto five = [&](auto i) { return deltas5.const_data_ptr<float>() + 5 * i; };
  check_rows(golden("decode_retina"), "retina",
             [&](auto i) { return decode_rotated(box_at(anchors, i), five(i), {}); });
  check_rows(golden("decode_oriented_rcnn"), "oriented_rcnn", [&](auto i) {
    return decode_rotated(box_at(anchors, i), five(i), {.stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}});
  });
  const at::Tensor rois = golden("rois_xyxy");
  check_rows(golden("decode_hroi"), "regions",
             [&](auto i) { return decode_region(bounds_at(rois, i), five(i)); });
  const at::Tensor points = golden("points"), distances = golden("distances");
  check_rows(golden("decode_point"), "points", [&](auto i) {
    const float* p = points.const_data_ptr<float>() + 2 * i;
    const float* d = distances.const_data_ptr<float>() + 5 * i;
    return decode_distances(p[0], p[1], d, d[4]);
  });
  // Anchors of the proposal networks are upright: the stored ones without their angle.
  check_rows(golden("decode_midpoint"), "midpoint", [&](auto i) {
    const Box a = box_at(anchors, i);
    return decode_midpoint({a.cx - a.w / 2, a.cy - a.h / 2, a.cx + a.w / 2, a.cy + a.h / 2},
                           deltas6.const_data_ptr<float>() + 6 * i);
  });
}

TEST_CASE("Pictures are resized as Pillow does", "[models][oriented_det]") {
  GP_NEED_DATA(file, "goldens/oriented_det/resize.npz");
  const tests::StageGolden golden(file);
  const at::Tensor picture = golden("input");
  struct Case {
    const char* name;
    ResizeMode mode;
    Canvas canvas;
  };
  const std::vector<Case> cases = {{"fixed_96x128", ResizeMode::fixed, {128, 96}},
                                   {"fixed_260x300", ResizeMode::fixed, {300, 260}},
                                   {"fixed_64x512", ResizeMode::fixed, {512, 64}},
                                   {"pad_256", ResizeMode::pad, {256, 256}},
                                   {"pad_100x160", ResizeMode::pad, {160, 100}},
                                   {"keep_ratio_256", ResizeMode::keep_ratio, {256, 256}},
                                   {"keep_ratio_90", ResizeMode::keep_ratio, {90, 90}},
                                   {"crop_128", ResizeMode::crop, {128, 128}},
                                   {"crop_256", ResizeMode::crop, {256, 256}}};
  for (const Case& of : cases) {
    CAPTURE(of.name);
    const std::string name = of.name;
    const Placement at = placement(150, 200, of.mode, of.canvas);
    const at::Tensor got = on_canvas(picture, at);
    CHECK(got.equal(golden(name)));
    const at::Tensor meta = golden(name + ".meta");
    const double* m = meta.const_data_ptr<double>();
    CHECK(at.scale_x == Approx(m[0]));
    CHECK(at.scale_y == Approx(m[1]));
    CHECK(static_cast<double>(at.pad_left) == m[2]);
    CHECK(static_cast<double>(at.pad_top) == m[3]);
    CHECK(static_cast<double>(at.crop_left) == m[4]);
    CHECK(static_cast<double>(at.crop_top) == m[5]);
    if (!golden.has(name + ".tensor")) continue;
    const Normalization dota{{0.307941F, 0.311986F, 0.297761F}, {0.192315F, 0.187769F, 0.181551F}};
    const Normalization plain{{123.675F / 255, 116.28F / 255, 103.53F / 255},
                              {58.395F / 255, 57.12F / 255, 57.375F / 255}};
    const at::Tensor want = golden(name + ".tensor");
    const auto off = [&](const Normalization& n) {
      return (network_input(got, n)[0] - want).abs().max().item<float>();
    };
    CHECK(std::min(off(dota), off(plain)) <= 1e-5F);
  }
}

TEST_CASE("The height is resized first where it loses more than twice as much as the width",
          "[models][oriented_det]") {
  at::Tensor picture = at::empty({60, 50, 3}, at::kByte);
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < picture.numel(); ++i) {
    state = state * 1664525 + 1013904223;
    picture.mutable_data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(state >> 24);
  }
  const auto by = [&](bool rows_first, std::int64_t width, std::int64_t height) {
    const at::Tensor once =
        rows_first ? resized_bilinear(picture, 50, height) : resized_bilinear(picture, width, 60);
    return resized_bilinear(once, width, height);
  };
  struct Case {
    std::int64_t width, height;
    bool rows_first;
  };
  for (const Case& of : {Case{40, 40, false},
                         {40, 39, true},
                         {90, 59, true},
                         {90, 70, false},
                         {45, 51, false},
                         {10, 40, false}}) {
    CAPTURE(of.width, of.height);
    const at::Tensor got = resized_bilinear(picture, of.width, of.height);
    CHECK(got.equal(by(of.rows_first, of.width, of.height)));
    CHECK_FALSE(got.equal(by(!of.rows_first, of.width, of.height)));
  }
}

TEST_CASE("Windows of a canvas that is no square, and their margin", "[models][oriented_det]") {
  const Canvas canvas{40, 20};
  const auto windows = sliding_windows(100, 30, canvas, 10);
  // x: 0, 30, 60, then 90 moved back to 60, a repeat; y: 0, 10, then 20 moved back to 10.
  REQUIRE(windows.size() == 6);
  CHECK(windows.front().width == 40);
  CHECK(windows.front().height == 20);
  const at::Tensor picture = at::ones({30, 100, 3}, at::kByte);
  const at::Tensor pixels = cut(picture, {80, 20, 20, 10}, canvas);
  CHECK(pixels.size(0) == 20);
  CHECK(pixels.size(1) == 40);
  CHECK(pixels.sum().item<std::int64_t>() == 20 * 10 * 3);

  // The window's left side is inside of the picture, its upper one is not.
  const SlidingWindow window{30, 0, 40, 20};
  const auto kept = [&](float cx, float cy, double margin) {
    std::vector<Candidate> all;
    add_window({{{cx, cy, 4, 2, 0}, 0.5F, 0}}, window, {100, 30, margin}, all);
    return !all.empty();
  };
  CHECK(kept(2, 2, 0));
  CHECK_FALSE(kept(2, 2, 3));
  CHECK(kept(3, 2, 3));
  CHECK_FALSE(kept(37, 2, 3));
  CHECK(kept(36.5F, 2, 3));
  CHECK_FALSE(kept(20, 17.5F, 3));
  CHECK_FALSE(kept(-1, 2, 0));
}

TEST_CASE("Steps of oriented-det's windows", "[models][oriented_det]") {
  CHECK(window_step(1024, 200) == 824);
  CHECK(window_step(1024, 0.25) == 768);
  CHECK(window_step(1024, 0) == 1024);
  CHECK(window_step(10, 0.25) == 8);    // 7.5, to the even one
  CHECK(window_step(100, 0.999) == 1);  // 0.1
  CHECK(window_step(100, 99.7) == 1);   // at most side - 1
  CHECK(window_step(100, 5000) == 1);
  CHECK(window_step(100, 30.4) == 70);  // 69.6
}

TEST_CASE("Windows of oriented-det's own grid", "[models][oriented_det]") {
  GP_NEED_DATA(file, "goldens/oriented_map/windows.json");
  const nlohmann::json golden = io::read_json(file);
  for (const auto& of : golden.at("sliding_window")) {
    CAPTURE(of.dump());
    const auto side = of.at("slice").get<std::int64_t>();
    // Pixels or a share.
    const auto overlap = of.at(of.contains("overlap") ? "overlap" : "overlap_ratio").get<double>();
    const auto windows =
        sliding_windows(of.at("width").get<std::int64_t>(), of.at("height").get<std::int64_t>(),
                        {side, side}, overlap);
    const auto& want = of.at("origins_x_y");
    REQUIRE(windows.size() == want.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      CHECK(windows[i].x == want[i][0].get<std::int64_t>());
      CHECK(windows[i].y == want[i][1].get<std::int64_t>());
    }
  }
}

}  // namespace
}  // namespace grasppanda::models::oriented_det
