#include "lib/io/tiff.h"

#include <tiffio.h>

#include <cstring>

#include <random>
#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;

namespace {

struct Layout {
  std::uint32_t width = 37, height = 29;
  int bits = 8, bands = 3;
  bool tiled = false, separate = false;
  int photometric = PHOTOMETRIC_RGB, compression = COMPRESSION_NONE;
  int orientation = ORIENTATION_TOPLEFT, sample_format = SAMPLEFORMAT_UINT;
  const char* mode = "w";  // "wb": big-endian, "w8": BigTIFF
};

std::vector<std::uint16_t> random_values(const Layout& layout) {
  std::mt19937 random(static_cast<unsigned>(layout.bits * 100 + layout.bands));
  std::vector<std::uint16_t> values(std::size_t{layout.width} * layout.height *
                                    static_cast<std::size_t>(layout.bands));
  for (auto& v : values) v = static_cast<std::uint16_t>(random() & ((1u << layout.bits) - 1));
  return values;
}

/// Row of one plane, columns x.. (zeros beyond the picture), packed as the file wants it.
std::vector<std::uint8_t> packed_row(const Layout& layout, const std::vector<std::uint16_t>& values,
                                     std::uint32_t y, std::uint32_t x, std::uint32_t columns,
                                     int plane) {
  const int bands = layout.separate ? 1 : layout.bands;
  std::vector<std::uint8_t> row((columns * static_cast<std::size_t>(bands * layout.bits) + 7) / 8);
  std::size_t bit = 0;
  for (std::uint32_t c = x; c < x + columns; ++c) {
    for (int b = 0; b < bands; ++b, bit += static_cast<std::size_t>(layout.bits)) {
      if (c >= layout.width || y >= layout.height) continue;
      const auto v =
          values[(std::size_t{y} * layout.width + c) * static_cast<std::size_t>(layout.bands) +
                 static_cast<std::size_t>(layout.separate ? plane : b)];
      if (layout.bits == 16) {
        std::memcpy(row.data() + bit / 8, &v, 2);
      } else {
        row[bit / 8] = static_cast<std::uint8_t>(
            row[bit / 8] | v << (8 - static_cast<std::size_t>(layout.bits) - bit % 8));
      }
    }
  }
  return row;
}

std::string write(const Layout& layout, const std::vector<std::uint16_t>& values) {
  const tests::ScratchFolder scratch;
  const auto path = scratch.path() / "x.tif";
  TIFF* tiff = TIFFOpen(path.c_str(), layout.mode);
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, layout.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, layout.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, layout.bands);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout.compression);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, layout.orientation);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, layout.sample_format);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
               layout.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (layout.photometric == PHOTOMETRIC_PALETTE) {
    std::vector<std::uint16_t> table(3u << layout.bits);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint16_t>(i << 8);
    const std::size_t n = table.size() / 3;
    TIFFSetField(tiff, TIFFTAG_COLORMAP, table.data(), table.data() + n, table.data() + 2 * n);
  }
  constexpr std::uint32_t kTile = 16, kRows = 5;
  const int planes = layout.separate ? layout.bands : 1;
  if (layout.tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kTile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, kTile);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kRows);
  }
  for (int plane = 0; plane < planes; ++plane) {
    for (std::uint32_t y = 0; y < layout.height; y += layout.tiled ? kTile : 1) {
      if (!layout.tiled) {
        auto row = packed_row(layout, values, y, 0, layout.width, plane);
        REQUIRE(TIFFWriteScanline(tiff, row.data(), y, static_cast<std::uint16_t>(plane)) == 1);
        continue;
      }
      for (std::uint32_t x = 0; x < layout.width; x += kTile) {
        std::vector<std::uint8_t> tile;
        for (std::uint32_t r = 0; r < kTile; ++r) {
          const auto row = packed_row(layout, values, y + r, x, kTile, plane);
          tile.insert(tile.end(), row.begin(), row.end());
        }
        REQUIRE(TIFFWriteTile(tiff, tile.data(), x, y, 0, static_cast<std::uint16_t>(plane)) > 0);
      }
    }
  }
  TIFFClose(tiff);
  return tests::read_bytes(path);
}

Image decode(const std::string& file) {
  return decode_tiff(as_bytes(file), "x.tif");
}

std::vector<std::uint16_t> values_of(const Image& image) {
  if (image.bits == 16) return {image.u16().begin(), image.u16().end()};
  return {image.u8().begin(), image.u8().end()};
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

}  // namespace

TEST_CASE("tiff: bits, bands, strips and tiles, both planar arrangements, byte orders") {
  for (const int bits : {1, 2, 4, 8, 16}) {
    for (const int bands : {1, 3, 4, 6}) {
      for (const bool tiled : {false, true}) {
        for (const bool separate : {false, true}) {
          for (const char* mode : {"w", "wb", "w8"}) {
            DYNAMIC_SECTION(bits << " bits, " << bands << " bands" << (tiled ? ", tiled" : "")
                                 << (separate ? ", separate" : "") << ", " << mode) {
              Layout layout{
                  .bits = bits, .bands = bands, .tiled = tiled, .separate = separate, .mode = mode};
              if (bands < 3) layout.photometric = PHOTOMETRIC_MINISBLACK;
              const auto values = random_values(layout);
              const Image image = decode(write(layout, values));
              CHECK(image.width == 37);
              CHECK(image.height == 29);
              CHECK(image.channels == bands);
              CHECK(image.bits == (bits == 16 ? 16 : 8));
              CHECK(image.file_bits == bits);
              CHECK(values_of(image) == values);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("tiff: the usual compressions") {
  for (const int compression : {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
    for (const int bits : {8, 16}) {
      const Layout layout{.bits = bits, .compression = compression};
      const auto values = random_values(layout);
      const std::string file = write(layout, values);
      CHECK(values_of(decode(file)) == values);
      CHECK(tiff_sides(as_bytes(file), "x.tif").width == layout.width);
      CHECK(tiff_sides(as_bytes(file), "x.tif").height == layout.height);
    }
  }
}

TEST_CASE("tiff: palettes, white as zero, orientation") {
  Layout layout{.bits = 4, .bands = 1, .photometric = PHOTOMETRIC_PALETTE};
  auto values = random_values(layout);
  Image image = decode(write(layout, values));
  CHECK(image.channels == 3);
  CHECK(image.format == "4-bit palette TIFF");
  const auto rgb = values_of(image);
  CHECK(rgb[0] == values[0]);
  CHECK(rgb[1] == values[0] + 16);
  CHECK(rgb[2] == values[0] + 32);

  for (const int bits : {1, 8, 16}) {
    layout = {.bits = bits, .bands = 1, .photometric = PHOTOMETRIC_MINISWHITE};
    values = random_values(layout);
    image = decode(write(layout, values));
    CHECK(values_of(image)[5] == (1 << bits) - 1 - values[5]);
  }
  layout = {.bands = 1, .photometric = PHOTOMETRIC_MINISBLACK, .orientation = ORIENTATION_RIGHTTOP};
  values = random_values(layout);
  image = decode(write(layout, values));
  CHECK(image.width == 29);
  CHECK(image.height == 37);
  CHECK(values_of(image)[28] == values[0]);  // the stored corner stands at the top right
}

TEST_CASE("tiff: what is not read is refused with the reason") {
  CHECK(contains(refusal(write({.bits = 16,
                                .bands = 1,
                                .photometric = PHOTOMETRIC_MINISBLACK,
                                .sample_format = SAMPLEFORMAT_INT},
                               random_values({.bits = 16, .bands = 1}))),
                 "signed or complex samples"));
  CHECK(contains(refusal(write({.bands = 4, .photometric = PHOTOMETRIC_SEPARATED},
                               random_values({.bands = 4}))),
                 "in CMYK"));
  CHECK(contains(refusal(write({.photometric = PHOTOMETRIC_CIELAB}, random_values({}))),
                 "colour space 8"));
}

TEST_CASE("tiff: every cut is an error") {
  for (const bool tiled : {false, true}) {
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
      const Layout layout{.tiled = tiled, .compression = compression};
      const std::string file = write(layout, random_values(layout));
      for (const std::size_t n : tests::cut_lengths(file.size() - 16, 150)) {
        INFO("first " << n << " of " << file.size() << " bytes");
        CHECK(contains(refusal(file.substr(0, n)), "x.tif: "));
      }
    }
  }
}

TEST_CASE("tiff: wrong bytes are an error or a picture, never worse") {
  int refused = 0;
  for (const bool tiled : {false, true}) {
    const Layout layout{.width = 9, .height = 7, .tiled = tiled, .compression = COMPRESSION_LZW};
    const std::string file = write(layout, random_values(layout));
    for (std::uint32_t seed = 0; seed < 1500; ++seed) {
      INFO("seed " << seed);
      try {
        const Image image = decode(tests::with_wrong_bytes(file, seed));
        CHECK(image.pixels.size() == image.samples() * static_cast<std::size_t>(image.bits / 8));
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}
