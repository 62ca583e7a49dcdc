#include "lib/io/png.h"

#include <algorithm>
#include <random>
#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/io/hand_made_png.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;
using tests::HandMadePng;

namespace {

Image decode(const std::string& file) {
  return decode_png(as_bytes(file), "x.png");
}

std::string refusal(const std::string& file) {
  try {
    decode(file);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

HandMadePng random_png(std::uint32_t width, std::uint32_t height, int bits, int colour,
                       bool interlaced) {
  constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};
  HandMadePng png{width, height, bits, colour, interlaced, {}, {}, {}};
  std::mt19937 random(width * 31 + height * 7 + static_cast<unsigned>(bits * 3 + colour));
  png.samples.resize(std::size_t{width} * height * static_cast<std::size_t>(kChannels[colour]));
  for (auto& v : png.samples) v = static_cast<std::uint16_t>(random() & ((1u << bits) - 1));
  return png;
}

std::vector<std::uint16_t> values(const Image& image) {
  if (image.bits == 16) return {image.u16().begin(), image.u16().end()};
  return {image.u8().begin(), image.u8().end()};
}

}  // namespace

TEST_CASE("png: every grey, RGB and alpha kind keeps its raw values, interlaced or not") {
  struct Kind {
    int bits, colour, channels;
    const char* format;
  };
  const Kind kinds[] = {{1, 0, 1, "1-bit grey PNG"},           {2, 0, 1, "2-bit grey PNG"},
                        {4, 0, 1, "4-bit grey PNG"},           {8, 0, 1, "8-bit grey PNG"},
                        {16, 0, 1, "16-bit grey PNG"},         {8, 2, 3, "8-bit RGB PNG"},
                        {16, 2, 3, "16-bit RGB PNG"},          {8, 4, 2, "8-bit grey + alpha PNG"},
                        {16, 4, 2, "16-bit grey + alpha PNG"}, {8, 6, 4, "8-bit RGBA PNG"},
                        {16, 6, 4, "16-bit RGBA PNG"}};
  for (const Kind& kind : kinds) {
    for (const bool interlaced : {false, true}) {
      for (const auto& [w, h] : {std::pair{1u, 1u}, {3u, 2u}, {9u, 11u}, {1u, 9u}}) {
        DYNAMIC_SECTION(kind.format << " " << w << "x" << h << (interlaced ? " Adam7" : "")) {
          const HandMadePng png = random_png(w, h, kind.bits, kind.colour, interlaced);
          const Image image = decode(png_file(png));
          CHECK(image.width == w);
          CHECK(image.height == h);
          CHECK(image.channels == kind.channels);
          CHECK(image.bits == (kind.bits == 16 ? 16 : 8));
          CHECK(image.file_bits == kind.bits);
          CHECK(image.format == kind.format);
          CHECK(values(image) == png.samples);
        }
      }
    }
  }
}

TEST_CASE("png: palettes are resolved, with their transparency as alpha") {
  HandMadePng png{3, 1, 2, 3, false, {2, 0, 1}, std::string("\1\2\3\4\5\6\7\10\11", 9), {}};
  CHECK(values(decode(png_file(png))) == std::vector<std::uint16_t>{7, 8, 9, 1, 2, 3, 4, 5, 6});
  CHECK(decode(png_file(png)).format == "2-bit palette PNG");
  CHECK(decode(png_file(png)).file_bits == 8);
  png.chunks_before_data = tests::png_chunk("tRNS", "\x80");
  const Image image = decode(png_file(png));
  CHECK(image.channels == 4);
  CHECK(values(to_rgb8(image)) == std::vector<std::uint16_t>{7, 8, 9, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("png: a gamma chunk changes no sample, a colour key no channel") {
  HandMadePng png = random_png(5, 4, 16, 0, false);
  png.chunks_before_data = tests::png_chunk("gAMA", tests::big_endian32(100000)) +
                           tests::png_chunk("tRNS", std::string("\0\5", 2));
  CHECK(values(decode(png_file(png))) == png.samples);
  CHECK(decode(png_file(png)).channels == 1);
}

TEST_CASE("png: its EXIF orientation is applied") {
  HandMadePng png{2, 1, 8, 0, false, {10, 20}, {}, {}};
  const std::string exif("MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\6\0\0\0\0\0\0", 26);
  png.chunks_before_data = tests::png_chunk("eXIf", exif);
  const Image image = decode(png_file(png));
  CHECK(image.width == 1);
  CHECK(image.height == 2);
  CHECK(values(image) == std::vector<std::uint16_t>{10, 20});
}

TEST_CASE("png: what is written is read back") {
  for (const int bits : {8, 16}) {
    for (const int channels : {1, 2, 3, 4}) {
      Image image;
      image.width = 7;
      image.height = 5;
      image.channels = channels;
      image.bits = bits;
      std::mt19937 random(static_cast<unsigned>(bits + channels));
      image.pixels.resize(image.samples() * static_cast<std::size_t>(bits / 8));
      for (auto& v : image.pixels) v = static_cast<std::uint8_t>(random());
      const tests::ScratchFolder scratch;
      write_png(scratch.path() / "x.png", image);
      const Image back = read_image(scratch.path() / "x.png");
      CHECK(back.pixels == image.pixels);
      CHECK(back.channels == channels);
      CHECK(encode_png(image) == encode_png(image));
    }
  }
  Image none;
  CHECK_THROWS_AS(encode_png(none), std::invalid_argument);
}

TEST_CASE("png: every cut is an error") {
  for (const bool interlaced : {false, true}) {
    const std::string file = png_file(random_png(40, 30, 16, 0, interlaced));
    for (const std::size_t n : tests::cut_lengths(file.size(), 300)) {
      INFO("first " << n << " of " << file.size() << " bytes");
      CHECK(contains(refusal(file.substr(0, n)), "x.png: "));
    }
  }
}

TEST_CASE("png: wrong bytes are an error or another picture of a sane size, never worse") {
  const std::string file = png_file(random_png(23, 17, 8, 2, true));
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    try {
      const Image image = decode(tests::with_wrong_bytes(file, seed));
      CHECK(image.pixels.size() == image.samples() * static_cast<std::size_t>(image.bits / 8));
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);  // checksums catch what lies in chunks that matter
}

TEST_CASE("png: absurd sizes are refused before memory is taken") {
  const auto claims = [](std::uint32_t width, std::uint32_t height, int bits, int colour) {
    HandMadePng png{1, 1, bits, colour, false, {1, 1, 1, 1}, {}, {}};
    std::string file = png_file(png);
    std::string header = tests::big_endian32(width) + tests::big_endian32(height);
    header += static_cast<char>(bits);
    header += static_cast<char>(colour);
    header += std::string(3, '\0');
    return file.substr(0, 8) + tests::png_chunk("IHDR", header) + file.substr(33);
  };
  CHECK(contains(refusal(claims(60000, 60000, 8, 2)), "4 GiB decoded, the limit"));
  CHECK(contains(refusal(claims(0x7fffffff, 0x7fffffff, 16, 6)), "4 GiB decoded, the limit"));
  CHECK(contains(refusal(claims(30000, 30000, 8, 2)), "cannot hold them"));
  CHECK(refusal(claims(0, 5, 8, 2)) != "accepted");
}

TEST_CASE("png: data that end early or go wrong are errors, not grey rows") {
  const HandMadePng png = random_png(64, 64, 8, 0, false);
  const std::string file = png_file(png);
  const std::string header = file.substr(0, 33);
  const std::string short_data =
      tests::deflated(tests::png_pass(png, {0, 0, 1, 1}).substr(0, 2000));
  CHECK(contains(
      refusal(header + tests::png_chunk("IDAT", short_data) + tests::png_chunk("IEND", "")),
      "damaged PNG"));
  std::string bad_crc = file;
  bad_crc[bad_crc.size() - 20] ^= 1;
  CHECK(contains(refusal(bad_crc), "damaged PNG"));
}
