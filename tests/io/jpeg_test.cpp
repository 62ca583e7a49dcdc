#include "lib/io/jpeg.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <jpeglib.h>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;

namespace {

const std::filesystem::path kImages =
    std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "tests/data/images";

struct Encoding {
  J_COLOR_SPACE space = JCS_RGB;
  bool adobe = false;
  bool progressive = false;
  int orientation = 0;  // 0: no EXIF
};

/// A picture of one colour a quadrant: top left, top right, bottom left, bottom right.
std::string encode(int width, int height, const std::array<std::array<int, 4>, 4>& quadrants,
                   const Encoding& encoding) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.in_color_space = encoding.space;
  info.input_components = encoding.space == JCS_GRAYSCALE ? 1 : encoding.space == JCS_CMYK ? 4 : 3;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  info.write_Adobe_marker = encoding.adobe ? TRUE : FALSE;
  if (encoding.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (encoding.orientation != 0) {
    std::string exif("Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\0\0\0\0\0\0\0", 32);
    exif[25] = static_cast<char>(encoding.orientation);
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                      static_cast<unsigned>(exif.size()));
  }
  std::vector<JSAMPLE> row(static_cast<std::size_t>(width * info.input_components));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto& colour =
          quadrants[static_cast<std::size_t>(2 * (2 * y / height) + 2 * x / width)];
      for (int c = 0; c < info.input_components; ++c) {
        row[static_cast<std::size_t>(x * info.input_components + c)] =
            static_cast<JSAMPLE>(colour[static_cast<std::size_t>(c)]);
      }
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(buffer), size);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return file;
}

Image decode(const std::string& file) {
  return decode_jpeg(as_bytes(file), "x.jpg");
}

/// Middle of a quadrant of the decoded picture.
std::array<int, 3> quadrant(const Image& image, int row, int column) {
  const std::int64_t x = image.width / 4 + column * image.width / 2;
  const std::int64_t y = image.height / 4 + row * image.height / 2;
  std::array<int, 3> rgb;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t channel = image.channels == 1 ? 0 : c;
    rgb[c] =
        image.pixels[static_cast<std::size_t>((y * image.width + x) * image.channels) + channel];
  }
  return rgb;
}

bool near(const std::array<int, 3>& a, const std::array<int, 3>& b) {
  INFO(a[0] << " " << a[1] << " " << a[2]);
  for (std::size_t c = 0; c < 3; ++c) {
    if (std::abs(a[c] - b[c]) > 6) return false;
  }
  return true;
}

constexpr std::array<std::array<int, 4>, 4> kRgb{
    {{250, 20, 20, 0}, {20, 20, 250, 0}, {20, 230, 20, 0}, {128, 128, 128, 0}}};

}  // namespace

TEST_CASE("jpeg: RGB and grey, baseline and progressive") {
  for (const bool progressive : {false, true}) {
    const Image rgb = decode(encode(64, 48, kRgb, {.progressive = progressive}));
    CHECK(rgb.width == 64);
    CHECK(rgb.height == 48);
    CHECK(rgb.channels == 3);
    CHECK(rgb.format == "8-bit RGB JPEG");
    CHECK(near(quadrant(rgb, 0, 0), {250, 20, 20}));
    CHECK(near(quadrant(rgb, 0, 1), {20, 20, 250}));
    CHECK(near(quadrant(rgb, 1, 0), {20, 230, 20}));
    const Image grey =
        decode(encode(64, 48, kRgb, {.space = JCS_GRAYSCALE, .progressive = progressive}));
    CHECK(grey.channels == 1);
    CHECK(grey.format == "8-bit grey JPEG");
    CHECK(near(quadrant(grey, 0, 0), {250, 250, 250}));
  }
}

TEST_CASE("jpeg: CMYK comes out right by either convention") {
  // Red, blue, green and a dark grey as inks, 255 being all ink; Adobe's files store the inverse.
  const std::array<std::array<int, 4>, 4> inks{
      {{0, 255, 255, 0}, {255, 255, 0, 0}, {255, 0, 255, 0}, {0, 0, 0, 200}}};
  auto inverted = inks;
  for (auto& quadrant : inverted) {
    for (int& ink : quadrant) ink = 255 - ink;
  }
  for (const bool adobe : {false, true}) {
    const Image image =
        decode(encode(64, 48, adobe ? inverted : inks, {.space = JCS_CMYK, .adobe = adobe}));
    CHECK(image.channels == 3);
    CHECK(image.format == "8-bit CMYK JPEG");
    CHECK(near(quadrant(image, 0, 0), {255, 0, 0}));
    CHECK(near(quadrant(image, 0, 1), {0, 0, 255}));
    CHECK(near(quadrant(image, 1, 0), {0, 255, 0}));
    CHECK(near(quadrant(image, 1, 1), {55, 55, 55}));
  }
}

TEST_CASE("jpeg: EXIF orientation turns the picture upright") {
  // Where the stored top left (red) and top right (blue) quadrants belong, by the EXIF standard.
  struct Place {
    int red_row, red_column, blue_row, blue_column;
  };
  const Place places[] = {{0, 0, 0, 1}, {0, 1, 0, 0}, {1, 1, 1, 0}, {1, 0, 1, 1},
                          {0, 0, 1, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}, {1, 0, 0, 0}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    INFO("orientation " << orientation);
    const Image image = decode(encode(64, 48, kRgb, {.orientation = orientation}));
    CHECK(image.width == (orientation < 5 ? 64 : 48));
    CHECK(image.height == (orientation < 5 ? 48 : 64));
    const Place& place = places[orientation - 1];
    CHECK(near(quadrant(image, place.red_row, place.red_column), {250, 20, 20}));
    CHECK(near(quadrant(image, place.blue_row, place.blue_column), {20, 20, 250}));
  }
}

TEST_CASE("jpeg: the fixtures of other writers") {
  for (const char* name : {"baseline.jpg", "exif6.jpg", "cmyk.jpg"}) {
    const Image rgb = to_rgb8(read_image(kImages / name));
    INFO(name);
    CHECK(rgb.width == 240);
    CHECK(rgb.height == 180);
    const auto at = [&](std::int64_t x, std::int64_t y, std::size_t c) {
      return static_cast<int>(rgb.pixels[static_cast<std::size_t>(3 * (y * 240 + x)) + c]);
    };
    CHECK(std::abs(at(5, 3, 0) - 250) <= 14);
    CHECK(std::abs(at(234, 3, 2) - 250) <= 14);
    CHECK(std::abs(at(5, 176, 1) - 230) <= 14);
  }
}

TEST_CASE("jpeg: every cut is an error") {
  for (const bool progressive : {false, true}) {
    const std::string file = encode(64, 48, kRgb, {.progressive = progressive});
    for (const std::size_t n : tests::cut_lengths(file.size() - 2, 400)) {  // but for the end mark
      INFO("first " << n << " of " << file.size() << " bytes");
      CHECK_THROWS_AS(decode(file.substr(0, n)), FormatError);
    }
  }
  const std::string file = tests::read_bytes(kImages / "baseline.jpg");
  for (const std::size_t n : {file.size() / 3, file.size() / 2, file.size() - 40}) {
    CHECK_THROWS_WITH(decode(file.substr(0, n)),
                      Catch::Matchers::StartsWith("x.jpg: damaged JPEG"));
  }
}

TEST_CASE("jpeg: wrong bytes are an error or a picture, never worse") {
  int refused = 0;
  for (const bool progressive : {false, true}) {
    const std::string file = encode(40, 24, kRgb, {.progressive = progressive, .orientation = 6});
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
      INFO("seed " << seed);
      try {
        const Image image = decode(tests::with_wrong_bytes(file, seed));
        CHECK(image.pixels.size() == image.samples());
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("jpeg: a size that its file cannot hold is refused before memory is taken") {
  std::string file = encode(16, 16, kRgb, {});
  const auto frame = file.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  for (const std::size_t i : {5, 6, 7, 8}) file[frame + i] = '\xfe';  // 65278 x 65278
  CHECK_THROWS_WITH(decode(file), Catch::Matchers::Contains("4 GiB decoded, the limit"));
  for (const std::size_t i : {5, 7}) file[frame + i] = '\x40';  // 16638 x 16638
  CHECK_THROWS_WITH(decode(file), Catch::Matchers::Contains("cannot hold them"));
}
