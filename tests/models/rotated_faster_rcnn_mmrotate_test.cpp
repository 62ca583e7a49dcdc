// MMRotate's coders, anchors and conversions by hand-computed cases: for Rotated Faster R-CNN,
// le135 and oc, which no golden detector covers, and the goldens of rectangles in postprocess.json.
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "lib/io/json_file.h"
#include "models/mmrotate/box_coders.h"
#include "models/mmrotate/priors.h"
#include "models/mmrotate/rotated_retinanet/rotated_retinanet.h"
#include "models/mmrotate/selection.h"
#include "tests/catch.h"

namespace grasppanda::models::mmrotate {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr auto le90 = AngleConvention::le90, le135 = AngleConvention::le135,
               oc = AngleConvention::oc;

void check_box(const Box& got, const Box& want) {
  CAPTURE(got.cx, got.cy, got.w, got.h, got.angle);
  CHECK(got.cx == Approx(want.cx).margin(1e-3));
  CHECK(got.cy == Approx(want.cy).margin(1e-3));
  CHECK(got.w == Approx(want.w).margin(1e-3));
  CHECK(got.h == Approx(want.h).margin(1e-3));
  CHECK(got.angle == Approx(want.angle).margin(1e-5));
}

TEST_CASE("Angles of MMRotate are wrapped by their convention", "[models][mmrotate]") {
  CHECK(wrapped(kPi / 2, le90) == Approx(-kPi / 2));
  CHECK(wrapped(-2, le90) == Approx(kPi - 2));
  CHECK(wrapped(3 * kPi / 4 + 0.1F, le135) == Approx(-kPi / 4 + 0.1F));
  CHECK(wrapped(-1, le135) == Approx(kPi - 1));
  CHECK(wrapped(-5, oc) == -5);
}

TEST_CASE("Boxes around rotated ones: oc of line 0.x takes the signs", "[models][mmrotate]") {
  const Box box{50, 60, 40, 20, -kPi / 6};
  const float c = std::cos(kPi / 6), s = std::sin(kPi / 6);
  const Bounds right = bounds_of(box, le90, Line::v0);
  CHECK(right.x2 - 50 == Approx(20 * c + 10 * s));
  CHECK(right.y2 - 60 == Approx(20 * s + 10 * c));
  const Bounds odd = bounds_of(box, oc, Line::v0);
  CHECK(odd.x2 - 50 == Approx((40 * c - 20 * s) / 2));
  CHECK(odd.y2 - 60 == Approx((-40 * s + 20 * c) / 2));
  CHECK(bounds_of(box, oc, Line::v1).x2 == Approx(right.x2));
}

TEST_CASE("Anchors of MMRotate lie on multiples of the stride", "[models][mmrotate]") {
  const AnchorGrid grid = retina_anchors(8, 4);
  CHECK(grid.per_cell() == kRetinaAnchors);
  CHECK(grid[0].x1 == -16);
  CHECK(grid[0].y2 == 16);
  CHECK(grid[9].x1 == 8 - 16);
  CHECK(grid[4 * 9].y1 == 8 - 16);
  // Ratio h / w = 0.5 comes second, at scale 4.
  CHECK(grid[3].x2 - grid[3].x1 == Approx(32 * std::sqrt(2.0F)));
  CHECK(grid[3].y2 - grid[3].y1 == Approx(32 / std::sqrt(2.0F)));
  const AnchorGrid proposals = proposal_anchors(4, 10);
  CHECK(proposals[1].x2 == 16);
  CHECK(proposals[0].x2 - proposals[0].x1 == Approx(32 * std::sqrt(2.0F)));

  const Bounds wide{0, 0, 40, 20}, square{0, 0, 20, 20};
  check_box(box_of(square), {10, 10, 20, 20, 0});
  check_box(regular_box_of(wide, le90), {20, 10, 40, 20, 0});
  check_box(regular_box_of(square, le90), {10, 10, 20, 20, -kPi / 2});
  check_box(regular_box_of(square, le135), {10, 10, 20, 20, kPi / 2});
  check_box(regular_box_of(wide, oc), {20, 10, 20, 40, -kPi / 2});
}

TEST_CASE("Deltas of rotated boxes, by hand", "[models][mmrotate]") {
  const Box prior{100, 100, 40, 20, kPi / 2};
  const float deltas[5] = {0.1F, 0.2F, std::log(0.5F), std::log(2.0F), 0.25F};
  // Projected: (4, 4) along the sides is (-4, 4); 20 x 40 is exchanged.
  check_box(decode_rotated(prior, deltas, {.edge_swap = true, .projected = true}, le90, nullptr),
            {96, 104, 40, 20, 0.25F});
  check_box(
      decode_rotated(prior, deltas, {.angle_factor = 1.0F, .projected = true}, le135, nullptr),
      {96, 104, 20, 40, -kPi / 4});
  check_box(decode_rotated(prior, deltas, {}, oc, nullptr), {104, 104, 20, 40, kPi / 2 + 0.25F});
  const PictureSize size{100, 90};
  check_box(decode_rotated(prior, deltas, {}, oc, &size), {99, 89, 20, 40, kPi / 2 + 0.25F});

  // Equal sides turn, too; far deltas of sizes end at ln(1000 / 16).
  const float none[5] = {0, 0, 0, 0, 0}, far[5] = {0, 0, 100, -100, 0};
  check_box(decode_rotated({0, 0, 8, 8, 0.2F}, none, {.edge_swap = true}, le90, nullptr),
            {0, 0, 8, 8, 0.2F - kPi / 2});
  check_box(decode_rotated({0, 0, 16, 1000, 0}, far, {}, le90, nullptr), {0, 0, 1000, 16, 0});
}

TEST_CASE("Deltas of Rotated Faster R-CNN's regions, by hand", "[models][mmrotate]") {
  const DeltaCoder coder{
      .stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}, .angle_factor = 2.0F, .edge_swap = true};
  const float deltas[5] = {1, -1, 0, 0, 1};  // the angle: 0.1 * 2 pi
  check_box(decode_rotated_of({0, 0, 40, 20}, deltas, coder, le90), {24, 8, 40, 20, 0.2F * kPi});
  check_box(decode_rotated_of({0, 0, 20, 40}, deltas, coder, le90),
            {12, 16, 40, 20, 0.2F * kPi - kPi / 2});
  const float moved[4] = {-1, 1, 0, 0};
  const Bounds clipped = decode_horizontal({0, 0, 40, 20}, moved, {30, 25});
  CHECK(clipped.x1 == 0);
  CHECK(clipped.x2 == 0);
  CHECK(clipped.y1 == 20);
  CHECK(clipped.y2 == 25);
}

TEST_CASE("Midpoint offsets, by hand", "[models][mmrotate]") {
  const float deltas[6] = {0, 0, 0, 0, 3, 0};  // 1.5, which ends at 0.5
  const Box box = decode_midpoint({0, 0, 40, 20}, deltas, le90, Line::v0);
  // Vertices (40, 0), (20 + 10 sqrt 5, 10), (0, 20), (20 - 10 sqrt 5, 10).
  const float reach = 20 + 10 * std::sqrt(5.0F);
  check_box(box, {20, 10, std::hypot(reach, 10.0F), std::hypot(reach - 40, 10.0F),
                  std::atan2(10.0F, -reach) - kPi});
}

TEST_CASE("Rectangles become boxes as in the goldens of MMRotate", "[models][mmrotate]") {
  GP_NEED_DATA(file, "goldens/mmrotate/postprocess.json");
  const nlohmann::json golden = io::read_json(file);
  const auto& cases = golden.at("rect_to_box");
  const auto& polygons = cases.at("polygons");
  std::size_t compared = 0;
  for (const auto& [name, convention] : {std::pair{"le90", le90}, {"le135", le135}, {"oc", oc}}) {
    if (!cases.contains(name)) continue;
    const auto& boxes = cases.at(name);
    for (std::size_t i = 0; i < polygons.size(); ++i, ++compared) {
      geometry::Quad quad;
      for (std::size_t k = 0; k < 4; ++k) {
        quad[k] = {polygons[i][2 * k].get<double>(), polygons[i][2 * k + 1].get<double>()};
      }
      const geometry::RotatedBox box = geometry::box_of_rectangle(quad, convention);
      CAPTURE(name, i);
      CHECK(box.cx == Approx(boxes[i][0].get<double>()).margin(1e-3));
      CHECK(box.cy == Approx(boxes[i][1].get<double>()).margin(1e-3));
      CHECK(box.w == Approx(boxes[i][2].get<double>()).margin(1e-3));
      CHECK(box.h == Approx(boxes[i][3].get<double>()).margin(1e-3));
      CHECK(box.angle == Approx(boxes[i][4].get<double>()).margin(2e-5));
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("Boxes of line 1.x go back to the picture by the direction of their sides",
          "[models][mmrotate]") {
  const Resizing size{100, 200, 200, 200, 224, 224};  // u = 0.5, v = 1
  check_box(in_picture({20, 20, 40, 10, 0}, size, Line::v0), {10, 20, 20, 10, 0});
  check_box(in_picture({20, 20, 40, 10, kPi / 2}, size, Line::v1), {10, 20, 40, 5, kPi / 2});
}

}  // namespace
}  // namespace grasppanda::models::mmrotate
