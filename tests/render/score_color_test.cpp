#include "lib/render/score_color.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace grasppanda;

TEST_CASE("lightness grows with the score") {
  // Relative luminance of the picture's primaries (Rec. 709), linear light.
  const auto luminance = [](render::Color c) {
    const auto linear = [](double v) {
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c[0] / 255.0) + 0.7152 * linear(c[1] / 255.0) +
           0.0722 * linear(c[2] / 255.0);
  };
  double last = -1;
  for (int i = 0; i <= 16; ++i) {
    const double now = luminance(render::score_color(i / 16.0));
    CHECK(now > last);
    last = now;
  }
  CHECK(luminance(render::score_color(1)) > 0.7);
  CHECK(luminance(render::score_color(0)) < 0.12);
}

TEST_CASE("ends, and values beyond them") {
  CHECK(render::score_color(0) == render::Color{86, 58, 190});
  CHECK(render::score_color(1) == render::Color{255, 238, 90});
  CHECK(render::score_color(-3) == render::score_color(0));
  CHECK(render::score_color(7) == render::score_color(1));
  CHECK(render::score_color(std::numeric_limits<double>::quiet_NaN()) == render::score_color(0));
  CHECK(render::score_color(std::numeric_limits<double>::infinity()) == render::score_color(1));
}

TEST_CASE("the range of scores leaves out what is no number") {
  std::vector<geometry::Grasp> grasps(4);
  grasps[0].score = std::numeric_limits<float>::quiet_NaN();
  grasps[1].score = 0.5f;
  grasps[2].score = 1.5f;
  grasps[3].score = std::numeric_limits<float>::infinity();
  const auto range = render::score_range(grasps);
  CHECK(range.low == 0.5);
  CHECK(range.high == 1.5);
  CHECK(range.place(1.0) == 0.5);
  CHECK(render::score_range({}).place(0.3) == 1);  // a single score is the best one
}
