// Images for detectors: listed, brought to 8-bit RGB, whole and in pieces.
#include "lib/datasets/aerial_image.h"

#include <algorithm>

#include "lib/datasets/image_inputs.h"
#include "lib/io/format_error.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/support/hand_made_tiff.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;
using tests::HandMadeTiff;
using tests::ScratchFolder;

namespace {

std::filesystem::path write_picture(const ScratchFolder& scratch, const std::string& name) {
  io::Image image;
  image.width = 3, image.height = 2, image.channels = 3;
  image.pixels.assign(image.samples(), 50);
  std::filesystem::create_directories((scratch.path() / name).parent_path());
  io::write_png(scratch.path() / name, image);
  return scratch.path() / name;
}

std::vector<std::string> names_of(const std::vector<InputRef>& inputs) {
  std::vector<std::string> names;
  for (const InputRef& input : inputs) names.push_back(input.name);
  return names;
}

ImageSettings stretched(double low, double high) {
  ImageSettings settings;
  settings.stretch = {low, high};
  return settings;
}

ImageSettings with_bands(const std::array<int, 3>& bands) {
  ImageSettings settings;
  settings.bands = bands;
  return settings;
}

std::vector<std::uint8_t> pixels_of(const HandMadeTiff& tiff, const ImageSettings& settings,
                                    std::vector<std::string>* warnings = nullptr) {
  const ScratchFolder scratch;
  const AerialImage image = open_aerial_image(scratch.file("a.tif", tiff.bytes()), settings);
  if (warnings != nullptr) *warnings = image.warnings;
  return image.rgb->pixels;
}

}  // namespace

TEST_CASE("images: files by content, folders, DOTA's folder, lists") {
  const ScratchFolder scratch;
  write_picture(scratch, "set/P10__1.5__0___0.png");
  write_picture(scratch, "set/P9.png");
  write_picture(scratch, "set/scene.v2.final.PNG");
  scratch.file("set/notes.txt", "no image");
  scratch.file("set/broken.jpg", "no image");
  write_picture(scratch, "set/deeper/x.png");
  const std::string root = scratch.path().string();
  CHECK(names_of(list_images({root + "/set"})) ==
        std::vector<std::string>{"P9", "P10__1.5__0___0", "broken", "scene.v2.final"});

  write_picture(scratch, "dota/images/P0001.png");
  CHECK(names_of(list_images({root + "/dota"})) == std::vector<std::string>{"P0001"});

  std::filesystem::copy_file(scratch.path() / "set/P9.png", scratch.path() / "plain");
  const auto list = scratch.file("list.txt", "# some\nset/P9.png\n\nset/P9.png\nnone.png\n");
  const auto listed = list_images({root + "/plain", list.string()});
  CHECK(names_of(listed) == std::vector<std::string>{"plain", "set/P9", "set/P9-2", "none.png"});
  CHECK(listed[3].problem.find("list.txt:5: ") != std::string::npos);
  CHECK(listed[0].kind == InputRef::Kind::image_file);
}

TEST_CASE("images: nothing that can be used is an error with a reason") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "empty");
  for (const std::string& name : {std::string("none"), std::string("empty")}) {
    CHECK_THROWS_AS(list_images({(scratch.path() / name).string()}), io::FormatError);
  }
  CHECK_THROWS_WITH(list_images({scratch.file("a.npy", "\x93NUMPY\x01").string()}),
                    Catch::Matchers::Contains("wanted a PNG, JPEG or TIFF"));
}

TEST_CASE("images: 16 bits by the high byte, with a warning when that is nearly black") {
  HandMadeTiff tiff{.width = 2,
                    .height = 1,
                    .bits = 16,
                    .bands = 3,
                    .samples = {0x1234, 0xff00, 0x00ff, 0x8000, 0x0100, 0x7fff}};
  std::vector<std::string> warnings;
  CHECK(pixels_of(tiff, {}, &warnings) ==
        std::vector<std::uint8_t>{0x12, 0xff, 0x00, 0x80, 0x01, 0x7f});
  CHECK(warnings.empty());
  tiff.samples = {600, 700, 800, 900, 1000, 1100};
  pixels_of(tiff, {}, &warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("input.stretch: percentile") != std::string::npos);
}

TEST_CASE("images: stretched between percentiles of each band") {
  HandMadeTiff tiff{.width = 101, .height = 1, .bits = 16, .bands = 3};
  for (std::uint16_t i = 0; i <= 100; ++i) {
    for (const int start : {1000, 2000, 3000}) {
      tiff.samples.push_back(static_cast<std::uint16_t>(start + i));
    }
  }
  std::vector<std::string> warnings;
  const auto pixels = pixels_of(tiff, stretched(10, 90), &warnings);
  CHECK(warnings.empty());
  for (std::size_t band = 0; band < 3; ++band) {
    CHECK(pixels[band] == 0);
    CHECK(pixels[3 * 100 + band] == 255);
    CHECK(std::abs(int{pixels[3 * 50 + band]} - 127) <= 2);
  }
  // 8 bits stay what they are.
  HandMadeTiff plain{.width = 2, .height = 1, .samples = {10, 20, 30, 40, 50, 60}};
  CHECK(pixels_of(plain, stretched(10, 90)) == std::vector<std::uint8_t>{10, 20, 30, 40, 50, 60});
}

TEST_CASE("images: bands by choice, the first three with a warning otherwise") {
  const HandMadeTiff tiff{.width = 1, .height = 1, .bands = 6, .samples = {1, 2, 3, 4, 5, 6}};
  std::vector<std::string> warnings;
  CHECK(pixels_of(tiff, {}, &warnings) == std::vector<std::uint8_t>{1, 2, 3});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("input.bands") != std::string::npos);
  CHECK(pixels_of(tiff, with_bands({4, 2, 0}), &warnings) == std::vector<std::uint8_t>{5, 3, 1});
  CHECK(warnings.empty());
  CHECK_THROWS_WITH(pixels_of(tiff, with_bands({6, 2, 0})),
                    Catch::Matchers::Contains("has 6 bands, input.bands wants band 6"));
  const HandMadeTiff grey{.width = 1, .height = 1, .bands = 1, .samples = {9}};
  CHECK(pixels_of(grey, with_bands({4, 2, 0}), &warnings) == std::vector<std::uint8_t>{9, 9, 9});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("input.bands is not used") != std::string::npos);
}

TEST_CASE("images: a fourth band is alpha where the file says so") {
  constexpr std::uint16_t kExtraSamples = 338, kOrientation = 274;
  HandMadeTiff tiff{.width = 1, .height = 1, .bands = 4, .samples = {1, 2, 3, 4}};
  std::vector<std::string> warnings;
  for (const bool says_what : {false, true}) {
    if (says_what) tiff.shorts[kExtraSamples] = {0};
    CHECK(pixels_of(tiff, {}, &warnings) == std::vector<std::uint8_t>{1, 2, 3});
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("does not call alpha") != std::string::npos);
  }
  CHECK(pixels_of(tiff, with_bands({2, 1, 0}), &warnings) == std::vector<std::uint8_t>{3, 2, 1});
  CHECK(warnings.empty());
  for (const std::uint16_t alpha : {std::uint16_t{1}, std::uint16_t{2}}) {
    tiff.shorts[kExtraSamples] = {alpha};
    CHECK(pixels_of(tiff, {}, &warnings) == std::vector<std::uint8_t>{1, 2, 3});
    CHECK(warnings.empty());
  }
  // Turned, so that it is decoded whole.
  tiff.shorts = {{kExtraSamples, {0}}, {kOrientation, {3}}};
  CHECK(pixels_of(tiff, {}, &warnings) == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(warnings.size() == 1);
}

TEST_CASE("images: rows are the bytes of the whole picture") {
  GP_NEED_DATA(images, "data/troubles/images");
  for (const char* name : {"base.png", "rgba.png", "grey16.png", "rgb16.png", "exif6.jpg",
                           "palette.png", "rgb8.tif", "tiling_1100x1300.jpg"}) {
    CAPTURE(name);
    const AerialImage image = open_aerial_image(images / name, {});
    REQUIRE(image.rgb);
    RgbRows rows(images / name, {});
    CHECK(rows.width() == image.width);
    CHECK(rows.height() == image.height);
    std::vector<std::uint8_t> pixels(image.rgb->pixels.size());
    std::uint8_t* to = pixels.data();
    for (std::int64_t y = 0; y < image.height; y += 77) {
      const std::int64_t n = std::min<std::int64_t>(77, image.height - y);
      rows.read(n, to);
      to += 3 * n * image.width;
    }
    CHECK(pixels == image.rgb->pixels);
  }
}

TEST_CASE("images: a GeoTIFF brings its reference along") {
  const ScratchFolder scratch;
  HandMadeTiff tiff;
  tiff.doubles = {{33550, {0.5, 0.5, 0}}, {33922, {0, 0, 0, 100, 200, 0}}};
  const AerialImage image = open_aerial_image(scratch.file("a.tif", tiff.bytes()), {});
  REQUIRE(image.geo);
  CHECK(image.geo->world(2, 2) == std::array<double, 2>{101, 199});
}
