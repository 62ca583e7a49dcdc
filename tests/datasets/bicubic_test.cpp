// Scaled pictures against what OpenCV 4.8.1 and 5.0 make of the same made-up ones
// (cv2.resize(picture, None, fx=rate, fy=rate, interpolation=cv2.INTER_CUBIC)).
#include "lib/datasets/bicubic.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

constexpr std::int64_t kWidth = 11, kHeight = 9;

io::Image made_picture(int bits) {
  io::Image image;
  image.width = kWidth;
  image.height = kHeight;
  image.channels = 1;
  image.bits = bits;
  for (std::int64_t y = 0; y < kHeight; ++y) {
    for (std::int64_t x = 0; x < kWidth; ++x) {
      if (bits == 8) {
        image.pixels.push_back(static_cast<std::uint8_t>((x * 37 + y * 91 + x * y * 13) % 251));
        continue;
      }
      const auto value = static_cast<std::uint16_t>((x * 3701 + y * 9103 + x * y * 1301) % 65521);
      std::uint8_t bytes[2];
      std::memcpy(bytes, &value, 2);
      image.pixels.insert(image.pixels.end(), bytes, bytes + 2);
    }
  }
  return image;
}

int value_at(const io::Image& image, std::int64_t x, std::int64_t y) {
  const auto at = static_cast<std::size_t>(y * image.width + x);
  return image.bits == 16 ? image.u16()[at] : image.pixels[at];
}

struct Scaled {
  int bits;
  double rate;
  std::int64_t width, height;
  std::map<std::int64_t, std::vector<int>> rows;
};

const std::vector<Scaled>& opencv_results() {
  static const std::vector<Scaled> all = {
      {8,
       0.5,
       6,
       4,
       {{0, {52, 182, 86, 149, 92, 113}},
        {2, {158, 56, 179, 166, 50, 255}},
        {3, {76, 80, 44, 126, 120, 189}}}},
      {8,
       1.5,
       16,
       14,
       {{0, {0, 7, 36, 56, 80, 110, 147, 177, 206, 245, 111, 0, 14, 57, 96, 117}},
        {7, {187, 158, 120, 107, 56, 62, 171, 179, 119, 75, 166, 204, 42, 50, 167, 244}},
        {13, {244, 193, 94, 0, 76, 152, 34, 110, 185, 68, 143, 219, 101, 177, 255, 149}}}},
      {8,
       0.7,
       8,
       6,
       {{0, {21, 82, 140, 137, 214, 41, 68, 119}},
        {3, {173, 111, 51, 179, 77, 162, 100, 255}},
        {5, {146, 79, 50, 97, 111, 96, 101, 151}}}},
      {16,
       2,
       22,
       18,
       {{0, {0,     0,     1420,  3662,  5109,  7225,  8673,  10789, 12237, 14353, 15801,
             17917, 19365, 21481, 22928, 25044, 26492, 28608, 30056, 32297, 33996, 35054}},
        {9, {37892, 42018, 48911, 49825, 44060, 45827, 54856, 41855, 14137, 290,   7628,
             17382, 24774, 33350, 37898, 44540, 49358, 49100, 43497, 43646, 49280, 52641}},
        {17, {0,    5645,  16213, 27467, 32769, 40985, 46772, 57777, 65535, 52824, 18515,
              5218, 19878, 33178, 38479, 49241, 60122, 44531, 10707, 0,     7500,  14275}}}}};
  return all;
}

}  // namespace

TEST_CASE("pictures are scaled as OpenCV scales them, to one step of brightness") {
  for (const Scaled& wanted : opencv_results()) {
    CAPTURE(wanted.bits, wanted.rate);
    const io::Image scaled = datasets::resize_bicubic(made_picture(wanted.bits), wanted.rate);
    REQUIRE(scaled.width == wanted.width);
    REQUIRE(scaled.height == wanted.height);
    for (const auto& [y, row] : wanted.rows) {
      REQUIRE(static_cast<std::int64_t>(row.size()) == wanted.width);
      for (std::int64_t x = 0; x < wanted.width; ++x) {
        CAPTURE(x, y);
        CHECK(std::abs(value_at(scaled, x, y) - row[static_cast<std::size_t>(x)]) <= 1);
      }
    }
  }
}

TEST_CASE("a rate of 1 changes no picture; channels do not mix; none is scaled by 0") {
  io::Image picture = made_picture(8);
  CHECK(datasets::resize_bicubic(picture, 1).pixels == picture.pixels);
  io::Image colours = picture;
  colours.channels = 3;
  colours.pixels.clear();
  for (const std::uint8_t value : picture.pixels) {
    colours.pixels.insert(colours.pixels.end(), {value, 0, static_cast<std::uint8_t>(255 - value)});
  }
  const io::Image one = datasets::resize_bicubic(picture, 1.5);
  const io::Image three = datasets::resize_bicubic(colours, 1.5);
  REQUIRE(three.pixels.size() == 3 * one.pixels.size());
  for (std::size_t i = 0; i < one.pixels.size(); ++i) {
    CHECK(three.pixels[3 * i] == one.pixels[i]);
    CHECK(three.pixels[3 * i + 1] == 0);
    CHECK(std::abs(three.pixels[3 * i + 2] - (255 - one.pixels[i])) <= 1);
  }
  CHECK_THROWS_AS(datasets::resize_bicubic(picture, 0), std::invalid_argument);
  CHECK_THROWS_AS(datasets::resize_bicubic(picture, -1), std::invalid_argument);
}

}  // namespace grasppanda::tests
