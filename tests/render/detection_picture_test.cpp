#include "lib/render/detection_picture.h"

#include <limits>

#include "tests/catch.h"

using namespace grasppanda;
using namespace grasppanda::render;

namespace {

io::Image grey(std::int64_t width, std::int64_t height) {
  io::Image image;
  image.width = width, image.height = height, image.channels = 3;
  image.pixels.assign(image.samples(), 100);
  return image;
}

Color at(const io::Image& image, std::int64_t x, std::int64_t y) {
  const std::uint8_t* p = image.pixels.data() + 3 * (y * image.width + x);
  return {p[0], p[1], p[2]};
}

const std::vector<std::string> kClasses = {"plane", "ship"};

}  // namespace

TEST_CASE("detections are outlined in the colour of their class") {
  const io::Image ground = grey(200, 120);
  const std::vector<DrawnBox> boxes = {{{100, 60, 80, 40, 0}, 0.9F, 1}};
  const io::Image drawn = draw_detections({.picture = &ground,
                                           .width = 200,
                                           .height = 120,
                                           .boxes = boxes,
                                           .classes = kClasses,
                                           .name = ""});
  CHECK(drawn.width == 200);
  CHECK(drawn.height == 120);
  CHECK(at(drawn, 100, 60) == Color{100, 100, 100});  // inside nothing is drawn
  // The upper edge lies between pixel rows 39 and 40.
  const Color edge = at(drawn, 100, 40), color = class_color(1);
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(int{edge[c]} - int{color[c]}) < 90);
  CHECK(edge != Color{100, 100, 100});
  CHECK(class_color(0) != class_color(1));
  CHECK(class_color(-1) == class_color(19));
}

TEST_CASE("detections: odd numbers are not drawn, and do no harm") {
  const io::Image ground = grey(64, 48);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<DrawnBox> boxes = {
      {{nan, 5, 8, 8, 0}, 0.9F, 0},
      {{5, 5, 1e300, 8, 0}, 0.9F, 0},
      {{5, 5, 8, 8, std::numeric_limits<double>::infinity()}, 1, 0},
      {{-500, 9000, 30, 10, 1}, 0.5F, 5}};
  const io::Image drawn = draw_detections({.picture = &ground,
                                           .width = 64,
                                           .height = 48,
                                           .boxes = boxes,
                                           .classes = kClasses,
                                           .name = "n"});
  CHECK(drawn.pixels == ground.pixels);  // too small for a legend
  DetectionPicture nothing;
  nothing.height = 5;
  CHECK(draw_detections(nothing).pixels.empty());
  nothing.width = 64;
  CHECK(draw_detections(nothing).width == 64);
}

TEST_CASE("the legend of detections keeps out of the way of boxes") {
  const io::Image ground = grey(640, 480);
  const std::vector<DrawnBox> boxes = {{{40, 30, 40, 20, 0.2}, 0.9F, 0}};
  const auto draw = [&](std::span<const DrawnBox> some) {
    return draw_detections({.picture = &ground,
                            .width = 640,
                            .height = 480,
                            .boxes = some,
                            .classes = kClasses,
                            .name = "P0001"});
  };
  CHECK(at(draw({}), 12, 12) != Color{100, 100, 100});     // upper left, where nothing is
  CHECK(at(draw(boxes), 12, 12) == Color{100, 100, 100});  // elsewhere, where something is
  CHECK(draw(boxes).pixels == draw(boxes).pixels);
}

TEST_CASE("a large image is reduced by whole factors, row by row") {
  ReducedPicture small(5, 3);
  CHECK(small.factor() == 1);
  const std::int64_t width = 2 * kLargestPicture + 1, height = 5;
  ReducedPicture reduced(width, height);
  REQUIRE(reduced.factor() == 3);
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(3 * width * height));
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      rows[static_cast<std::size_t>(3 * (y * width + x))] = static_cast<std::uint8_t>(x / 3 % 200);
      rows[static_cast<std::size_t>(3 * (y * width + x) + 1)] =
          static_cast<std::uint8_t>(10 * (y / 3));
    }
  }
  reduced.add(rows.data(), 2);
  reduced.add(rows.data() + 3 * width * 2, 3);
  const io::Image image = std::move(reduced).take();
  CHECK(image.width == (width + 2) / 3);
  CHECK(image.height == 2);
  CHECK(at(image, 7, 0) == Color{7, 0, 0});
  CHECK(at(image, 150, 1) == Color{150, 10, 0});
  CHECK(at(image, image.width - 1, 1)[1] == 10);
}
