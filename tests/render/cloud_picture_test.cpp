#include <cmath>
#include <limits>
#include <vector>

#include "lib/render/fitted_view.h"
#include "lib/render/grasp_picture.h"
#include "lib/render/score_color.h"
#include "tests/catch.h"

using namespace grasppanda;
using geometry::Vec3;

namespace {

// A square table of 0.4 m at z = 0 and a small red block at x = 0.15, y = 0.1.
struct Table {
  std::vector<double> xyz;
  std::vector<std::uint8_t> rgb;
  Table() {
    for (int i = -100; i <= 100; ++i)
      for (int j = -100; j <= 100; ++j) add(i * 0.002, j * 0.002, 0, 90);
    for (int i = -5; i <= 5; ++i)
      for (int j = -5; j <= 5; ++j) add(0.15 + i * 0.002, 0.1 + j * 0.002, 0.05, 250);
  }
  void add(double x, double y, double z, std::uint8_t red) {
    xyz.insert(xyz.end(), {x, y, z});
    rgb.insert(rgb.end(), {red, 60, 60});
  }
};

Vec3 middle_of(const io::Image& image, bool (*wanted)(const std::uint8_t*)) {
  double x = 0, y = 0, n = 0;
  for (std::int64_t j = 0; j < image.height; ++j)
    for (std::int64_t i = 0; i < image.width; ++i)
      if (wanted(image.pixels.data() + 3 * (j * image.width + i))) x += i, y += j, ++n;
  return {x / n, y / n, n};
}
bool is_red(const std::uint8_t* p) {
  return p[0] > 160 && p[1] < 80;
}

}  // namespace

TEST_CASE("seen from above, x points right and y up, in one scale") {
  const Table table;
  render::CloudPicture picture;
  picture.cloud_xyz = table.xyz;
  picture.cloud_rgb = table.rgb;
  picture.up = {0, 0, 1};
  picture.view = render::CloudView::from_above;
  picture.width = picture.height = 350;
  const io::Image image = render::draw_cloud(picture);
  const Vec3 block = middle_of(image, is_red);
  REQUIRE(block[2] > 50);
  // The table's middle is the middle of the 300 rows under the legend: (175, 200). It fills 92 %
  // of those, 276 pixels for 0.4 m (0.3 % less for outlying points left aside).
  const double scale = 276 / 0.4;
  CHECK(block[0] == Approx(175 + 0.15 * scale).margin(3));
  CHECK(block[1] == Approx(200 - 0.10 * scale).margin(3));
}

TEST_CASE("the default is what a camera sees") {
  Table table;  // in a camera frame: x right, y down, farther is larger z
  for (std::size_t i = 2; i < table.xyz.size(); i += 3) table.xyz[i] = 1 - table.xyz[i];
  render::CloudPicture picture;
  picture.cloud_xyz = table.xyz;
  picture.cloud_rgb = table.rgb;
  picture.view = render::CloudView::from_above;
  picture.width = picture.height = 350;
  for (const Vec3& up : {Vec3{0, 0, -1}, Vec3{0, 0, 0}, Vec3{NAN, 0, 1}}) {
    picture.up = up;
    const Vec3 block = middle_of(render::draw_cloud(picture), is_red);
    REQUIRE(block[2] > 50);
    CHECK(block[0] > 250);
    CHECK(block[1] > 250);
  }
}

TEST_CASE("views are right-handed and look down") {
  const Table table;
  for (const Vec3& up : {Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0.1, -0.9, 0.3}}) {
    const Vec3 u = render::unit_up(up);
    for (const bool above : {true, false}) {
      const auto view = above ? render::view_from_above(table.xyz, {}, u, {0, 0, 100, 100})
                              : render::view_three_quarter(table.xyz, {}, u, {0, 0, 100, 100});
      const auto& [r, d, f] = view.axes;
      const auto dot = [](const Vec3& a, const Vec3& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      };
      CHECK(dot(r, r) == Approx(1));
      CHECK(dot(d, d) == Approx(1));
      CHECK(dot(r, d) == Approx(0).margin(1e-12));
      CHECK(dot(f, u) == Approx(above ? -1 : -std::sin(35 * M_PI / 180)));
      CHECK(dot(r, u) == Approx(0).margin(1e-12));
      // right x down = forward
      CHECK(r[1] * d[2] - r[2] * d[1] == Approx(f[0]).margin(1e-12));
      CHECK(r[2] * d[0] - r[0] * d[2] == Approx(f[1]).margin(1e-12));
    }
  }
}

TEST_CASE("the whole cloud and its grippers lie inside of both views") {
  const Table table;
  geometry::Grasp grasp;  // above the table's corner, reaching out of it
  grasp.width = 0.08f;
  grasp.depth = 0.025f;
  grasp.rotation = {0, 1, 0, 0, 0, 1, -1, 0, 0};
  grasp.translation = {0.2f, 0.2f, 0.1f};
  const std::vector<geometry::Grasp> grasps = {grasp};
  for (const bool above : {true, false}) {
    const render::Area area{10, 20, 300, 200};
    const auto view = above ? render::view_from_above(table.xyz, grasps, {0, 0, 1}, area)
                            : render::view_three_quarter(table.xyz, grasps, {0, 0, 1}, area);
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (std::size_t i = 0; i < table.xyz.size(); i += 3) {
      const auto [u, v] =
          view.project(view.to_view({table.xyz[i], table.xyz[i + 1], table.xyz[i + 2]}));
      left = std::min(left, u), right = std::max(right, u);
      top = std::min(top, v), bottom = std::max(bottom, v);
    }
    CHECK(left > 10);
    CHECK(right < 310);
    CHECK(top > 20);
    CHECK(bottom < 220);
    // And one side is filled.
    CHECK(std::max((right - left) / 300, (bottom - top) / 200) > 0.6);
  }
}

TEST_CASE("outlying points do not shrink the view") {
  Table table;
  const auto before = render::view_from_above(table.xyz, {}, {0, 0, 1}, {0, 0, 100, 100});
  table.add(50, -80, 20, 0);
  table.add(std::numeric_limits<double>::quiet_NaN(), 0, 0, 0);
  table.add(0, std::numeric_limits<double>::infinity(), 0, 0);
  const auto after = render::view_from_above(table.xyz, {}, {0, 0, 1}, {0, 0, 100, 100});
  CHECK(after.intrinsics.fx == Approx(before.intrinsics.fx).epsilon(0.02));
}

TEST_CASE("clouds without points, without grasps, of one point") {
  for (const auto view :
       {render::CloudView::from_above, render::CloudView::three_quarter, render::CloudView::both})
    for (const std::vector<double>& xyz :
         {std::vector<double>{}, std::vector<double>{1, 2, 3}, std::vector<double>{NAN, NAN, NAN},
          std::vector<double>{1, 1, 1, 1, 1, 1}, std::vector<double>{1e300, 0, 0, -1e300, 0, 0}}) {
      render::CloudPicture picture;
      picture.cloud_xyz = xyz;
      picture.view = view;
      picture.width = 161;
      picture.height = 90;
      picture.name = "one";
      const io::Image image = render::draw_cloud(picture);
      CHECK(image.pixels.size() == 161u * 90u * 3u);
      CHECK(image.pixels == render::draw_cloud(picture).pixels);
    }
}

TEST_CASE("grippers without a cloud are drawn") {
  geometry::Grasp grasp;
  grasp.score = 1;
  grasp.width = 0.08f;
  grasp.depth = 0.025f;
  const std::vector<geometry::Grasp> grasps = {grasp};
  render::CloudPicture picture;
  picture.grasps = grasps;
  picture.up = {0, 0, 1};
  picture.view = render::CloudView::from_above;
  picture.width = picture.height = 200;
  const auto best = render::score_color(1);
  const io::Image image = render::draw_cloud(picture);
  int yellow = 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3)
    yellow += image.pixels[i] == best[0] && image.pixels[i + 1] == best[1];
  CHECK(yellow > 100);
}
