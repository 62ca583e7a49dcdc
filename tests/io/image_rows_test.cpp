// Pictures in pieces are the same pictures.
#include "lib/io/image_rows.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/json_file.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/hand_made_tiff.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;

namespace {

/// All rows, so many at a time.
std::vector<std::uint8_t> all_rows(const std::filesystem::path& file, std::int64_t at_once) {
  const auto rows = open_image_rows(file);
  const ImageHeader& header = rows->header();
  std::vector<std::uint8_t> pixels(header.row_bytes() * static_cast<std::size_t>(header.height));
  std::uint8_t* to = pixels.data();
  for (std::int64_t y = 0; y < header.height; y += at_once) {
    const std::int64_t n = std::min(at_once, header.height - y);
    rows->read(n, to);
    to += static_cast<std::size_t>(n) * header.row_bytes();
  }
  return pixels;
}

void check_same(const std::filesystem::path& file, bool in_pieces) {
  CAPTURE(file.string());
  const Image whole = read_image(file);
  const auto rows = open_image_rows(file);
  CHECK(rows->header().width == whole.width);
  CHECK(rows->header().height == whole.height);
  CHECK(rows->header().channels == whole.channels);
  CHECK(rows->header().bits == whole.bits);
  CHECK(rows->header().file_bits == whole.file_bits);
  CHECK(rows->header().in_pieces == in_pieces);
  for (const std::int64_t at_once : {std::int64_t{1}, std::int64_t{7}, whole.height}) {
    CHECK(all_rows(file, at_once) == whole.pixels);
  }
}

Image noise(std::int64_t width, std::int64_t height, int channels, int bits) {
  Image image;
  image.width = width, image.height = height, image.channels = channels;
  image.bits = image.file_bits = bits;
  image.pixels.resize(image.samples() * static_cast<std::size_t>(bits / 8));
  std::uint32_t state = 7;
  for (auto& v : image.pixels)
    v = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return image;
}

}  // namespace

TEST_CASE("image rows: PNG of every form that is written here") {
  const tests::ScratchFolder scratch;
  for (const int bits : {8, 16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      write_png(scratch.path() / "a.png", noise(53, 41, channels, bits));
      check_same(scratch.path() / "a.png", true);
    }
  }
}

TEST_CASE("image rows: TIFF strips of many depths and bands") {
  const tests::ScratchFolder scratch;
  for (const std::uint16_t bits : {std::uint16_t{8}, std::uint16_t{16}}) {
    for (const std::uint16_t bands : {std::uint16_t{1}, std::uint16_t{3}, std::uint16_t{8}}) {
      tests::HandMadeTiff tiff{.width = 19, .height = 23, .bits = bits, .bands = bands};
      for (int i = 0; i < 19 * 23 * bands; ++i) {
        tiff.samples.push_back(static_cast<std::uint16_t>(i * 2654435761u >> (32 - bits)));
      }
      check_same(scratch.file("a.tif", tiff.bytes()), true);
    }
  }
}

TEST_CASE("image rows: the trouble images") {
  GP_NEED_DATA(images, "data/troubles/images");
  const nlohmann::json expected = read_json(images / "expected.json");
  for (const auto& [name, row] : expected.items()) {
    if (row["verdict"] == "reject") {
      CAPTURE(name);
      CHECK_THROWS_AS(all_rows(images / name, 5), FormatError);
      continue;
    }
    check_same(images / name, name != "cmyk.jpg" && name != "exif6.jpg" && name != "palette.png");
  }
}

TEST_CASE("image rows: cut off and damaged files are errors, not crashes") {
  const tests::ScratchFolder scratch;
  write_png(scratch.path() / "a.png", noise(60, 50, 3, 8));
  tests::HandMadeTiff tiff{.width = 40, .height = 30};
  const std::string png = tests::read_bytes(scratch.path() / "a.png"), raw = tiff.bytes();
  for (const std::string& whole : {png, raw}) {
    for (const std::size_t size : tests::cut_lengths(whole.size(), 30)) {
      const auto file = scratch.file("cut", whole.substr(0, size));
      try {
        all_rows(file, 8);  // a TIFF that lost unused bytes is still whole
      } catch (const FormatError&) {
      }
    }
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      const auto file = scratch.file("wrong", tests::with_wrong_bytes(whole, seed));
      try {
        all_rows(file, 8);
      } catch (const FormatError&) {
      }
    }
  }
  CHECK_THROWS_AS(all_rows(scratch.file("half", png.substr(0, png.size() / 2)), 8), FormatError);
  CHECK_THROWS_AS(all_rows(scratch.file("half.tif", raw.substr(0, raw.size() / 2)), 8),
                  FormatError);
}
