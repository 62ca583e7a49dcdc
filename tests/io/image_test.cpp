#include "lib/io/image.h"

#include <stdexcept>
#include <string>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/image_orientation.h"
#include "lib/io/image_sides.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;

namespace {

Image make(int channels, std::vector<std::uint8_t> pixels, int file_bits = 8) {
  Image image;
  image.height = 1;
  image.channels = channels;
  image.file_bits = file_bits;
  image.width = static_cast<std::int64_t>(pixels.size()) / channels;
  image.pixels = std::move(pixels);
  return image;
}

Image make16(int channels, const std::vector<std::uint16_t>& values) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  Image image = make(channels, std::vector<std::uint8_t>(bytes, bytes + 2 * values.size()), 16);
  image.bits = 16;
  image.width /= 2;
  return image;
}

using Bytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("image: to 8-bit RGB") {
  CHECK(to_rgb8(make(1, {5, 200})).pixels == Bytes{5, 5, 5, 200, 200, 200});
  CHECK(to_rgb8(make(2, {5, 0, 200, 128})).pixels == Bytes{5, 5, 5, 200, 200, 200});
  CHECK(to_rgb8(make(3, {1, 2, 3})).pixels == Bytes{1, 2, 3});
  CHECK(to_rgb8(make(4, {1, 2, 3, 0})).pixels == Bytes{1, 2, 3});  // dropped, not blended
  CHECK(to_rgb8(make(1, {0, 1}, 1)).pixels == Bytes{0, 0, 0, 255, 255, 255});
  CHECK(to_rgb8(make(1, {0, 1, 2, 3}, 2)).pixels ==
        Bytes{0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255});
  CHECK(to_rgb8(make(1, {15, 1}, 4)).pixels == Bytes{255, 255, 255, 17, 17, 17});
  CHECK(to_rgb8(make16(1, {0x12ff, 0xff00})).pixels == Bytes{0x12, 0x12, 0x12, 255, 255, 255});
  CHECK(to_rgb8(make16(3, {0x0100, 0x02ff, 0xffff})).pixels == Bytes{1, 2, 255});
  CHECK(to_rgb8(make(5, {1, 2, 3, 4, 5})).pixels == Bytes{1, 2, 3});
}

TEST_CASE("image: bands are chosen by number") {
  CHECK(to_rgb8(make(5, {1, 2, 3, 4, 5}), {4, 0, 0}).pixels == Bytes{5, 1, 1});
  CHECK(to_rgb8(make(3, {1, 2, 3}), {2, 1, 0}).pixels == Bytes{3, 2, 1});
  CHECK(to_rgb8(make16(2, {0x0100, 0x0200}), {1, 1, 0}).pixels == Bytes{2, 2, 1});
  CHECK_THROWS_AS(to_rgb8(make(3, {1, 2, 3}), {0, 1, 3}), std::invalid_argument);
  CHECK_THROWS_AS(to_rgb8(make(3, {1, 2, 3}), {-1, 1, 2}), std::invalid_argument);
}

TEST_CASE("image: masks count what is not zero, alpha aside") {
  CHECK(nonzero_pixels(make(1, {0, 1, 255})) == Bytes{0, 1, 1});
  CHECK(nonzero_pixels(make(1, {0, 1}, 1)) == Bytes{0, 1});
  CHECK(nonzero_pixels(make(2, {0, 255, 3, 0})) == Bytes{0, 1});
  CHECK(nonzero_pixels(make(4, {0, 0, 0, 255, 0, 0, 1, 255})) == Bytes{0, 1});
  CHECK(nonzero_pixels(make16(1, {0, 0x0100, 1})) == Bytes{0, 1, 1});
}

TEST_CASE("image: asking for the wrong depth is a fault of the caller") {
  CHECK_THROWS_AS(make(1, {1}).u16(), std::logic_error);
  CHECK_THROWS_AS(make16(1, {1}).u8(), std::logic_error);
}

TEST_CASE("image: every orientation turns the stored corners to their places") {
  // Stored: 3 x 2. EXIF names the side where the stored first row and first column belong.
  const auto turned = [](int orientation) {
    Image image = make(1, {1, 2, 3, 4, 5, 6});
    image.width = 3;
    image.height = 2;
    return upright(image, orientation);
  };
  CHECK(turned(1).pixels == Bytes{1, 2, 3, 4, 5, 6});
  CHECK(turned(2).pixels == Bytes{3, 2, 1, 6, 5, 4});
  CHECK(turned(3).pixels == Bytes{6, 5, 4, 3, 2, 1});
  CHECK(turned(4).pixels == Bytes{4, 5, 6, 1, 2, 3});
  CHECK(turned(5).pixels == Bytes{1, 4, 2, 5, 3, 6});
  CHECK(turned(6).pixels == Bytes{4, 1, 5, 2, 6, 3});
  CHECK(turned(7).pixels == Bytes{6, 3, 5, 2, 4, 1});
  CHECK(turned(8).pixels == Bytes{3, 6, 2, 5, 1, 4});
  CHECK(turned(6).width == 2);
  CHECK(turned(6).height == 3);
  CHECK(turned(0).pixels == turned(1).pixels);
  CHECK(turned(9).pixels == turned(1).pixels);
}

TEST_CASE("image: orientation of an EXIF block, damaged ones count as upright") {
  const std::string little("II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0\10\0\0\0\0\0\0\0", 26);
  CHECK(exif_orientation(tests::as_bytes(little)) == 8);
  for (std::size_t n = 0; n < little.size(); ++n) {
    const std::string cut = little.substr(0, n);
    const int value = exif_orientation(tests::as_bytes(cut));
    CHECK((value == 1 || value == 8));
  }
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const std::string wrong = tests::with_wrong_bytes(little, seed);
    const int value = exif_orientation(tests::as_bytes(wrong));
    CHECK((value >= 1 && value <= 8));
  }
}

TEST_CASE("image: the sides that a header states are read without the picture") {
  const tests::ScratchFolder scratch;
  const std::filesystem::path images =
      std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "tests/data/images";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(images)) {
    INFO(entry.path());
    const Image image = read_image(entry.path());
    ++seen;
    const ImageSides sides = read_image_sides(entry.path());
    const bool as_stored = sides.width == image.width && sides.height == image.height;
    const bool turned = sides.width == image.height && sides.height == image.width;
    CHECK((as_stored || turned));
  }
  CHECK(seen == 3);
  write_png(scratch.path() / "x.png", make(3, Bytes(3 * 5)));
  CHECK(read_image_sides(scratch.path() / "x.png").width == 5);
  CHECK(read_image_sides(scratch.path() / "x.png").height == 1);
  CHECK_THROWS_WITH(read_image_sides(scratch.file("page.png", "<html>")),
                    Catch::Matchers::Contains("is an HTML page"));
  CHECK_THROWS_WITH(read_image_sides(scratch.file("cut.png", "\x89PNG\r\n\x1a\n")),
                    Catch::Matchers::Contains("damaged PNG"));
}

TEST_CASE("image: what is no picture is called what it is") {
  const tests::ScratchFolder scratch;
  const auto refusal = [&](const std::string& bytes) {
    try {
      read_image(scratch.file("x.png", bytes));
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto ends = [](const std::string& text, const std::string& end) {
    INFO(text);
    return text.ends_with("x.png: " + end);
  };
  constexpr const char* kWanted = "; wanted a PNG, JPEG or TIFF picture";
  CHECK(ends(refusal(""), std::string("is an empty file") + kWanted));
  CHECK(ends(refusal("<!DOCTYPE html><html>"), std::string("is an HTML page") + kWanted));
  CHECK(ends(refusal("version https://git-lfs.github.com/spec/v1\noid"),
             std::string("is a Git LFS pointer") + kWanted));
  CHECK(ends(refusal("GIF89a"), std::string("is a GIF picture") + kWanted));
  CHECK(ends(refusal("hello"), "not a picture that is read here; wanted PNG, JPEG or TIFF"));
  CHECK_THROWS_AS(read_image(scratch.path()), FormatError);
  CHECK_THROWS_AS(read_image(scratch.path() / "none.png"), FormatError);
}

TEST_CASE("content: told by the first bytes") {
  const auto of = [](const std::string& bytes) { return content_of(tests::as_bytes(bytes)); };
  CHECK(of("") == Content::empty);
  CHECK(of("\x89PNG\r\n\x1a\n....") == Content::png);
  CHECK(of("\xff\xd8\xff\xe0") == Content::jpeg);
  CHECK(of(std::string("II*\0....", 8)) == Content::tiff);
  CHECK(of(std::string("MM\0*....", 8)) == Content::tiff);
  CHECK(of("\x93NUMPY\1\0") == Content::npy);
  CHECK(of("PK\3\4") == Content::zip);
  CHECK(of("ply\nformat ascii 1.0\n") == Content::ply);
  CHECK(of("# .PCD v0.7\n") == Content::pcd);
  CHECK(of("VERSION 0.7\nFIELDS x y z\n") == Content::pcd);
  CHECK(of("  \r\n<HTML>") == Content::html);
  CHECK(of("\x89PNG") == Content::unknown);
  CHECK(of("plywood") == Content::unknown);
  CHECK(of(std::string(124, ' ') + std::string("\0\1IM", 4)) == Content::mat5);
}
