#include "lib/geometry/rotated_box.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>

#include "tests/catch.h"

using namespace grasppanda;
using geometry::AngleConvention;
using geometry::Quad;
using geometry::RotatedBox;
using geometry::Vec2;

namespace {

constexpr double kPi = std::numbers::pi;

void check_box(const RotatedBox& got, const RotatedBox& want, double pixels, double radians) {
  CHECK(got.cx == Approx(want.cx).margin(pixels));
  CHECK(got.cy == Approx(want.cy).margin(pixels));
  CHECK(got.w == Approx(want.w).margin(pixels));
  CHECK(got.h == Approx(want.h).margin(pixels));
  CHECK(got.angle == Approx(want.angle).margin(radians));
}

/// Largest distance from a corner of one to the nearest corner of the other.
double corner_distance(const Quad& a, const Quad& b) {
  double largest = 0;
  for (const Vec2& p : a) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec2& q : b) nearest = std::min(nearest, std::hypot(p[0] - q[0], p[1] - q[1]));
    largest = std::max(largest, nearest);
  }
  return largest;
}

Quad quad_of(const nlohmann::json& numbers) {
  Quad quad;
  for (std::size_t i = 0; i < 8; ++i) quad[i / 2][i % 2] = numbers.at(i).get<double>();
  return quad;
}
RotatedBox box_of(const nlohmann::json& n) {
  return {n.at(0), n.at(1), n.at(2), n.at(3), n.at(4)};
}

}  // namespace

TEST_CASE("corners go from the upper left clockwise on the screen", "[rotated]") {
  const Quad plain = geometry::corners({10, 20, 6, 4, 0});
  CHECK(plain == Quad{{{7, 18}, {13, 18}, {13, 22}, {7, 22}}});
  CHECK(geometry::signed_area(plain) == 24);
  // A quarter turn from +x towards +y: the right side comes to lie below.
  const Quad turned = geometry::corners({0, 0, 6, 4, kPi / 2});
  CHECK(corner_distance(turned, {{{2, -3}, {2, 3}, {-2, 3}, {-2, -3}}}) < 1e-14);
  CHECK(turned[0][0] == Approx(2));
  CHECK(turned[0][1] == Approx(-3));
}

TEST_CASE("a convention changes how a rectangle is written, not the rectangle", "[rotated]") {
  for (const AngleConvention convention :
       {AngleConvention::oc, AngleConvention::le90, AngleConvention::le135})
    for (const double w : {2.0, 5.0, 3.0})
      for (int step = -40; step <= 40; ++step) {
        const RotatedBox box{7, -3, w, 3, step * kPi / 16};
        const RotatedBox written = geometry::in_convention(box, convention);
        INFO(geometry::angle_convention_name(convention) << " w " << w << " step " << step);
        CHECK(corner_distance(geometry::corners(box), geometry::corners(written)) < 1e-12);
        if (convention == AngleConvention::oc) {
          CHECK((written.angle > 0 && written.angle <= kPi / 2 + 1e-15));
          continue;
        }
        const double start = convention == AngleConvention::le90 ? -kPi / 2 : -kPi / 4;
        CHECK(written.w >= written.h);
        CHECK((written.angle >= start && written.angle < start + kPi));
      }
}

TEST_CASE("ends of the ranges of angles", "[rotated]") {
  const auto angle = [](double a, AngleConvention convention) {
    return geometry::in_convention({0, 0, 5, 3, a}, convention).angle;
  };
  CHECK(angle(kPi / 2, AngleConvention::le90) == -kPi / 2);
  CHECK(angle(-kPi / 2, AngleConvention::le90) == -kPi / 2);
  CHECK(angle(0, AngleConvention::le90) == 0);
  CHECK(angle(kPi / 2, AngleConvention::le135) == kPi / 2);
  CHECK(angle(3 * kPi / 4, AngleConvention::le135) == Approx(-kPi / 4));
  CHECK(angle(0, AngleConvention::oc) == kPi / 2);
  CHECK(angle(kPi / 2, AngleConvention::oc) == kPi / 2);
  CHECK(geometry::in_convention({0, 0, 5, 3, 0}, AngleConvention::oc).w == 3);
  CHECK(geometry::wrapped_angle(2, AngleConvention::oc) == 2);
  CHECK(geometry::wrapped_angle(2, AngleConvention::le90) == Approx(2 - kPi));
  CHECK(geometry::wrapped_angle(2, AngleConvention::le135) == 2);
  for (const char* name : {"oc", "le90", "le135"})
    CHECK(geometry::angle_convention_name(*geometry::parse_angle_convention(name)) == name);
  CHECK_FALSE(geometry::parse_angle_convention("le45").has_value());
}

TEST_CASE("a labelled quadrilateral becomes a box", "[rotated]") {
  const RotatedBox box{30, 40, 20, 8, 0.4};
  Quad quad = geometry::corners(box);
  for (int shift = 0; shift < 4; ++shift) {
    for (const bool reversed : {false, true}) {
      Quad given = quad;
      if (reversed) std::reverse(given.begin(), given.end());
      const RotatedBox found = geometry::box_of_quad(given);
      CHECK(corner_distance(geometry::corners(found), quad) < 1e-12);
      check_box(geometry::in_convention(found, AngleConvention::le90), box, 1e-12, 1e-12);
    }
    std::rotate(quad.begin(), quad.begin() + 1, quad.end());
  }
  // Opposite sides are averaged; the topmost corner, the left one of two, comes first.
  check_box(geometry::box_of_quad({{{8, 4}, {0, 4}, {0, 0}, {10, 0}}}),
            {4.5, 2, 9, (std::hypot(2, 4) + 4) / 2, 0}, 1e-12, 1e-12);
  CHECK_THROWS_AS(geometry::box_of_quad({{{0, 0}, {0, 0}, {1, 0}, {1, 1}}}), std::invalid_argument);
  CHECK_THROWS_AS(geometry::box_of_quad({{{0, 0}, {1, 1}, {2, 2}, {3, 3}}}), std::invalid_argument);
  CHECK_THROWS_AS(geometry::box_of_quad({{{0, std::nan("")}, {1, 0}, {1, 1}, {0, 1}}}),
                  std::invalid_argument);
}

TEST_CASE("the rectangle of least area around points", "[rotated]") {
  const RotatedBox box{30, 40, 20, 8, 0.4};
  const Quad quad = geometry::corners(box);
  std::vector<Vec2> points(quad.begin(), quad.end());
  points.push_back({30, 40});  // inside
  points.push_back({(quad[0][0] + quad[1][0]) / 2, (quad[0][1] + quad[1][1]) / 2});
  check_box(geometry::least_rectangle(points, AngleConvention::le90), box, 1e-12, 1e-12);
  CHECK_THROWS_AS(
      geometry::least_rectangle(std::vector<Vec2>{{0, 0}, {1, 1}, {2, 2}}, AngleConvention::oc),
      std::invalid_argument);
}

TEST_CASE("mmrotate's conversions of polygons, boxes and submission corners", "[rotated]") {
  GP_NEED_DATA(file, "goldens/mmrotate/postprocess.json");
  const nlohmann::json golden = nlohmann::json::parse(std::ifstream(file));
  int compared = 0;
  for (const char* name : {"oc", "le90", "le135"}) {
    const AngleConvention convention = *geometry::parse_angle_convention(name);
    const nlohmann::json& rectangles = golden.at("rect_to_box");
    const nlohmann::json& annotations = golden.at("annotation_boxes");
    for (std::size_t i = 0; i < rectangles.at("polygons").size(); ++i, ++compared) {
      INFO(name << " polygon " << i);
      check_box(geometry::box_of_rectangle(quad_of(rectangles.at("polygons")[i]), convention),
                box_of(rectangles.at(name)[i]), 1e-3, 1e-5);
      const Quad quad = quad_of(annotations.at("polygons")[i]);
      const RotatedBox want = box_of(annotations.at(name)[i]);
      const RotatedBox got = convention == AngleConvention::le135
                                 ? geometry::box_of_rectangle(quad, convention)
                                 : geometry::least_rectangle(quad, convention);
      check_box(got, want, 1e-3, 1e-5);
    }
    const nlohmann::json& submission = golden.at("submission").at(name);
    for (std::size_t i = 0; i < submission.at("dets").size(); ++i, ++compared) {
      const Quad quad =
          geometry::from_upper_left(geometry::corners(box_of(submission.at("dets")[i])));
      for (std::size_t k = 0; k < 8; ++k)
        CHECK(quad[k / 2][k % 2] ==
              Approx(std::stod(submission.at("coords")[i][k].get<std::string>())).margin(0.0101));
    }
  }
  CHECK(compared == 210);
}
