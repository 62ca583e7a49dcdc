#include "lib/render/grasp_picture.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "lib/render/score_color.h"
#include "tests/catch.h"

using namespace grasppanda;
using render::Color;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The fingers point away from the camera (approach +z), the opening lies along +x: columns
// approach (0,0,1), closing (1,0,0), normal (0,1,0).
geometry::Grasp facing_away(float score, std::array<float, 3> at) {
  geometry::Grasp grasp;
  grasp.score = score;
  grasp.width = 0.08f;
  grasp.height = 0.02f;
  grasp.depth = 0.03f;
  grasp.rotation = {0, 1, 0, 0, 0, 1, 1, 0, 0};
  grasp.translation = at;
  return grasp;
}

// The fingers point down in the picture (approach +y), opening along +x.
geometry::Grasp pointing_down(float score, std::array<float, 3> at) {
  geometry::Grasp grasp = facing_away(score, at);
  grasp.rotation = {0, 1, 0, 1, 0, 0, 0, 0, -1};
  return grasp;
}

Color at(const io::Image& image, std::int64_t x, std::int64_t y) {
  const auto* p = image.pixels.data() + 3 * (y * image.width + x);
  return {p[0], p[1], p[2]};
}

int difference(Color a, Color b) {
  int most = 0;
  for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

io::Image plain(std::int64_t width, std::int64_t height, std::uint8_t grey) {
  io::Image image;
  image.width = width;
  image.height = height;
  image.channels = 3;
  image.pixels.assign(image.samples(), grey);
  return image;
}

// A wall over the whole view at depth z, one point a pixel.
std::vector<double> wall(const geometry::Intrinsics& k, std::int64_t width, std::int64_t height,
                         double z) {
  std::vector<double> xyz;
  for (std::int64_t v = 0; v < height; ++v)
    for (std::int64_t u = 0; u < width; ++u) {
      const auto p = geometry::back_project(k, static_cast<double>(u), static_cast<double>(v), z);
      xyz.insert(xyz.end(), p.begin(), p.end());
    }
  return xyz;
}

struct Box {
  std::int64_t left = 1 << 30, top = 1 << 30, right = -1, bottom = -1, pixels = 0;
};
Box changed(const io::Image& before, const io::Image& after) {
  Box box;
  for (std::int64_t y = 0; y < after.height; ++y)
    for (std::int64_t x = 0; x < after.width; ++x)
      if (at(before, x, y) != at(after, x, y)) {
        box.left = std::min(box.left, x), box.right = std::max(box.right, x);
        box.top = std::min(box.top, y), box.bottom = std::max(box.bottom, y);
        ++box.pixels;
      }
  return box;
}

// A picture too small for a legend (so that only grippers change pixels): 100 pixels a metre at
// depth 1, middle (100, 30).
struct Small {
  io::Image color = plain(201, 61, 128);
  std::vector<geometry::Grasp> grasps;
  std::vector<double> cloud;
  render::GraspPicture picture() const {
    render::GraspPicture p;
    p.color = &color;
    p.intrinsics = {500, 500, 100, 30};
    p.width = color.width;
    p.height = color.height;
    p.cloud_xyz = cloud;
    p.grasps = grasps;
    return p;
  }
};

}  // namespace

TEST_CASE("a gripper at a known pose covers the pixels computed by hand") {
  Small small;
  // At depth 1 a metre is 500 pixels. Palm at y = -0.02 - 0.01, row 30 - 15 = 15; finger tips at
  // y = 0.03 - 0.01, row 30 + 10 = 40; fingers at x = +-0.04, columns 80 and 120; handle from row
  // -5 (outside) to 15 in column 100.
  small.grasps = {pointing_down(0.9f, {0, -0.01f, 1})};
  const io::Image image = render::draw_grasps(small.picture());
  const Color best = render::score_color(1);
  for (const auto& [x, y] : {std::pair{80, 20},
                             {80, 30},
                             {80, 38},
                             {120, 20},
                             {120, 38},
                             {80, 15},
                             {90, 15},
                             {110, 15},
                             {120, 15},
                             {100, 2},
                             {100, 10}})
    CHECK(difference(at(image, x, y), best) <= 3);
  for (const auto& [x, y] : {std::pair{100, 20},
                             {100, 30},
                             {90, 25},
                             {80, 46},
                             {120, 46},
                             {70, 20},
                             {130, 20},
                             {80, 8},
                             {120, 8}})
    CHECK(at(image, x, y) == Color{128, 128, 128});
  // Nothing outside of the gripper, its line width (at most 3 pixels here) aside.
  const Box box = changed(small.color, image);
  CHECK(box.left >= 77);
  CHECK(box.right <= 123);
  CHECK(box.top == 0);
  CHECK(box.bottom <= 43);
  CHECK(box.bottom >= 40);
  CHECK(box.pixels > 200);
}

TEST_CASE("perspective is applied point by point") {
  // Palm 0.02 in front of the origin's depth 0.5, tips 0.03 behind: columns 100 -+ 500*0.04/0.48
  // and 100 -+ 500*0.04/0.53, all on row 30.
  Small small;
  small.grasps = {facing_away(1, {0, 0, 0.5f})};
  const io::Image image = render::draw_grasps(small.picture());
  const Color best = render::score_color(1);
  const auto near = static_cast<std::int64_t>(std::lround(500 * 0.04 / 0.48));
  const auto far = static_cast<std::int64_t>(std::lround(500 * 0.04 / 0.53));
  REQUIRE(near == 42);
  REQUIRE(far == 38);
  CHECK(difference(at(image, 100 - near, 30), best) <= 3);
  CHECK(difference(at(image, 100 + near, 30), best) <= 3);
  CHECK(difference(at(image, 100 + far, 30), best) <= 3);
  CHECK(at(image, 100 + near + 5, 30) == Color{128, 128, 128});
}

TEST_CASE("what lies behind the cloud is faint and dashed, what lies before it is not") {
  Small small;
  small.grasps = {pointing_down(0.9f, {0, -0.01f, 1})};
  const Color best = render::score_color(1);
  const io::Image free = render::draw_grasps(small.picture());
  small.cloud = wall(small.picture().intrinsics, 201, 61, 1.004);
  CHECK(render::draw_grasps(small.picture()).pixels == free.pixels);
  // Within 5 mm behind the surface still counts as touching it.
  small.cloud = wall(small.picture().intrinsics, 201, 61, 0.996);
  CHECK(render::draw_grasps(small.picture()).pixels == free.pixels);

  small.cloud = wall(small.picture().intrinsics, 201, 61, 0.98);
  const io::Image hidden = render::draw_grasps(small.picture());
  int changed_rows = 0, untouched_rows = 0;
  for (std::int64_t y = 17; y < 39; ++y) {
    CHECK(difference(at(hidden, 80, y), best) > 40);
    (at(hidden, 80, y) == Color{128, 128, 128} ? untouched_rows : changed_rows)++;
  }
  CHECK(changed_rows > 5);
  CHECK(untouched_rows > 2);

  // A wall over the left half hides the left finger only.
  const auto whole = small.cloud;
  small.cloud.clear();
  for (std::size_t i = 0; i < whole.size(); i += 3)
    if (whole[i] < 0) small.cloud.insert(small.cloud.end(), &whole[i], &whole[i] + 3);
  const io::Image half = render::draw_grasps(small.picture());
  CHECK(difference(at(half, 80, 30), best) > 40);
  CHECK(difference(at(half, 120, 30), best) <= 3);
}

TEST_CASE("the best gripper lies on top of the others") {
  Small small;
  small.grasps = {pointing_down(0.9f, {0, -0.01f, 1}), pointing_down(0.2f, {0, -0.01f, 1})};
  CHECK(difference(at(render::draw_grasps(small.picture()), 80, 30), render::score_color(1)) <= 3);
  std::swap(small.grasps[0], small.grasps[1]);
  CHECK(difference(at(render::draw_grasps(small.picture()), 80, 30), render::score_color(0)) <= 30);
}

TEST_CASE("max_grasps draws the first ones; 0 draws all") {
  Small small;
  small.grasps = {pointing_down(0.9f, {-0.1f, 0, 1}), pointing_down(0.8f, {0.1f, 0, 1})};
  render::GraspPicture picture = small.picture();
  picture.max_grasps = 1;
  const Box one = changed(small.color, render::draw_grasps(picture));
  CHECK(one.right < 100);
  picture.max_grasps = 0;
  const Box both = changed(small.color, render::draw_grasps(picture));
  CHECK(both.left < 100);
  CHECK(both.right > 100);
}

TEST_CASE("grasps that are no numbers, behind the camera or far outside change nothing") {
  Small small;
  geometry::Grasp bad = pointing_down(1, {0, 0, 1});
  bad.translation[1] = kNan;
  geometry::Grasp no_rotation = pointing_down(1, {0, 0, 1});
  no_rotation.rotation[4] = std::numeric_limits<float>::infinity();
  geometry::Grasp no_width = pointing_down(1, {0, 0, 1});
  no_width.width = kNan;
  small.grasps = {bad,
                  no_rotation,
                  no_width,
                  pointing_down(1, {0, 0, -1}),
                  pointing_down(1, {0, 0, 0}),
                  pointing_down(1, {5, 0, 1}),
                  pointing_down(1, {3e38f, 3e38f, 1e-3f})};
  CHECK(render::draw_grasps(small.picture()).pixels == small.color.pixels);
  // Scaled beyond all measure it crosses the picture, and ends.
  geometry::Grasp huge = pointing_down(1, {0, 0, 1});
  for (float& value : huge.rotation) value *= 1e30f;
  small.grasps = {huge};
  CHECK(render::draw_grasps(small.picture()).width == 201);
}

TEST_CASE("a score that is no number is drawn as the lowest") {
  Small small;
  small.grasps = {pointing_down(kNan, {0, -0.01f, 1}), pointing_down(0.5f, {0.15f, 0, 1}),
                  pointing_down(0.4f, {-0.15f, 0, 1})};
  CHECK(difference(at(render::draw_grasps(small.picture()), 80, 30), render::score_color(0)) <= 30);
}

TEST_CASE("a gripper that reaches behind the camera is cut at it") {
  Small small;
  small.grasps = {facing_away(1, {0, 0.001f, 0.0f})};  // palm behind, tips 3 cm before the eye
  const Box box = changed(small.color, render::draw_grasps(small.picture()));
  CHECK(box.pixels >= 0);
}

TEST_CASE("no grasps, no cloud, no colour") {
  Small small;
  CHECK(render::draw_grasps(small.picture()).pixels == small.color.pixels);
  render::GraspPicture picture = small.picture();
  picture.color = nullptr;
  const io::Image image = render::draw_grasps(picture);
  CHECK(image.width == 201);
  CHECK(image.height == 61);
  CHECK(image.pixels.size() == 201u * 61u * 3u);
  // A colour image of another size is not used.
  const io::Image other = plain(200, 61, 255);
  picture.color = &other;
  CHECK(render::draw_grasps(picture).pixels == image.pixels);
}

TEST_CASE("without a colour image the cloud is shaded") {
  render::GraspPicture picture;
  picture.intrinsics = {100, 100, 20, 20};
  picture.width = picture.height = 41;
  const auto cloud = wall(picture.intrinsics, 41, 20, 1.0);  // the upper half
  picture.cloud_xyz = cloud;
  const std::vector<std::uint8_t> red(cloud.size(), 0);
  std::vector<std::uint8_t> rgb = red;
  for (std::size_t i = 0; i < rgb.size(); i += 3) rgb[i] = 250;
  picture.cloud_rgb = rgb;
  const io::Image image = render::draw_grasps(picture);
  CHECK(at(image, 20, 10)[0] > 200);
  CHECK(at(image, 20, 10)[1] == 0);
  CHECK(at(image, 20, 35)[0] < 60);  // the ground
}

TEST_CASE("clouds with points that are no numbers or behind the camera") {
  Small small;
  small.grasps = {pointing_down(0.9f, {0, -0.01f, 1})};
  const io::Image free = render::draw_grasps(small.picture());
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  small.cloud = {nan, 0, 0.5, 0,   nan, 0.5, 0, 0, nan, 0,     0,     -0.5,
                 0,   0, 0,   inf, 0,   0.5, 0, 0, inf, 1e300, 1e300, 0.5};
  CHECK(render::draw_grasps(small.picture()).pixels == free.pixels);
}

TEST_CASE("pictures of one pixel and of none") {
  for (const std::int64_t side : {0, 1, 2}) {
    const io::Image color = plain(side, side, 100);
    const std::vector<geometry::Grasp> grasps = {pointing_down(1, {0, 0, 1})};
    render::GraspPicture picture;
    picture.color = &color;
    picture.intrinsics = {1, 1, 0, 0};
    picture.width = picture.height = side;
    picture.grasps = grasps;
    const io::Image image = render::draw_grasps(picture);
    CHECK(image.width == side);
    CHECK(image.pixels.size() == static_cast<std::size_t>(3 * side * side));
    render::CloudPicture cloud;
    cloud.width = cloud.height = side;
    cloud.grasps = grasps;
    CHECK(render::draw_cloud(cloud).pixels.size() == static_cast<std::size_t>(3 * side * side));
  }
}

TEST_CASE("the legend stands in the corner and changes nothing else") {
  const io::Image color = plain(640, 480, 128);
  render::GraspPicture picture;
  picture.color = &color;
  picture.intrinsics = {500, 500, 320, 240};
  picture.width = 640;
  picture.height = 480;
  picture.name = "scene_0100/realsense/0000";
  const Box box = changed(color, render::draw_grasps(picture));
  CHECK(box.pixels > 1000);
  CHECK(box.right < 640);
  CHECK(box.bottom < 160);
  // A name longer than the picture is cut, the legend stays inside.
  picture.name = std::string(3000, 'x');
  CHECK(changed(color, render::draw_grasps(picture)).right < 640);
}

TEST_CASE("the legend makes room for grippers") {
  const io::Image color = plain(640, 480, 128);
  const std::vector<geometry::Grasp> grasps = {pointing_down(1, {-0.5f, -0.35f, 1})};  // upper left
  render::GraspPicture picture;
  picture.color = &color;
  picture.intrinsics = {500, 500, 320, 240};
  picture.width = 640;
  picture.height = 480;
  picture.name = "a";
  picture.grasps = grasps;
  const io::Image image = render::draw_grasps(picture);
  CHECK(at(image, 8, 472) != Color{128, 128, 128});  // lower left, the next in order
  CHECK(at(image, 8, 8) == Color{128, 128, 128});
}

TEST_CASE("same values, same bytes") {
  Small small;
  small.grasps = {pointing_down(0.9f, {0.01f, -0.01f, 1}), facing_away(0.3f, {-0.1f, 0, 0.7f})};
  small.cloud = wall(small.picture().intrinsics, 201, 61, 0.9);
  CHECK(render::draw_grasps(small.picture()).pixels == render::draw_grasps(small.picture()).pixels);
}

TEST_CASE("the drawn picture of a stored candidate file has its grippers on the objects") {
  GP_NEED_DATA(dump, "data/grasp_mini/dumps/main/scene_0160/realsense/0037.npy");
  // 128 bytes of header (NumPy 1.0), then float32 rows of 17.
  std::ifstream file(dump, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(bytes.size() > 128 + 68);
  const auto columns = reinterpret_cast<const float*>(bytes.data() + 128);
  std::vector<geometry::Grasp> grasps((bytes.size() - 128) / 68);
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    const float* row = columns + 17 * i;
    grasps[i] = {row[0], row[1], row[2], row[3], {}, {}, row[16]};
    std::copy_n(row + 4, 9, grasps[i].rotation.begin());
    std::copy_n(row + 13, 3, grasps[i].translation.begin());
  }
  const io::Image color = plain(1280, 720, 128);
  render::GraspPicture picture;
  picture.color = &color;
  picture.intrinsics = {927.2, 927.4, 651.3, 349.6};
  picture.width = 1280;
  picture.height = 720;
  picture.grasps = grasps;
  const Box box = changed(color, render::draw_grasps(picture));
  CHECK(box.pixels > 3000);
}
