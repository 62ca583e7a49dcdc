#include "lib/io/tiff.h"

#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/io/format_error.h"
#include "lib/io/image_orientation.h"
#include "lib/io/image_size.h"
#include "lib/io/printable_text.h"
#include "lib/io/tiff_bands.h"
#include "lib/io/tiff_memory.h"

namespace grasppanda::io {
namespace {

struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, bands = 1, photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t planar = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
  std::uint16_t sample_format = SAMPLEFORMAT_UINT, orientation = ORIENTATION_TOPLEFT;
};

class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, const std::string& name)
      : name_(name), file_(bytes, name) {
    if (file_.handle() == nullptr) fail();
  }

  Image decode() {
    read_layout();
    Image image;
    image.width = layout_.width;
    image.height = layout_.height;
    image.channels = layout_.bands;
    image.bits = layout_.bits == 16 ? 16 : 8;
    image.file_bits = layout_.bits;
    image.unnamed_fourth = has_unnamed_fourth_band(file_.handle());
    image.format = std::to_string(layout_.bits) + "-bit " + colour_words() + " TIFF";
    image.pixels.resize(check_size(image));
    TiffMemory::clear_complaint();  // odd tags that were of no consequence
    for (std::uint16_t plane = 0; plane < planes(); ++plane) read_plane(plane, image);
    if (layout_.photometric == PHOTOMETRIC_PALETTE) resolve_palette(image);
    if (layout_.photometric == PHOTOMETRIC_MINISWHITE) turn_round(image);
    return upright(std::move(image), layout_.orientation);
  }

  ImageSides sides() {
    read_layout();
    return {layout_.width, layout_.height};
  }

 private:
  [[noreturn]] void fail() const {
    const std::string complaint = TiffMemory::complaint();
    throw FormatError(name_ + ": damaged TIFF: " +
                      (complaint.empty() ? "it cannot be read" : printable(complaint)));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(name_ + ": a TIFF picture " + what +
                      " is not read; convert it to 8 or 16 bit grey, RGB or more bands");
  }

  std::uint16_t planes() const {
    return layout_.planar == PLANARCONFIG_SEPARATE ? layout_.bands : std::uint16_t{1};
  }
  std::uint16_t bands_per_plane() const {
    return layout_.planar == PLANARCONFIG_SEPARATE ? std::uint16_t{1} : layout_.bands;
  }

  std::string colour_words() const {
    switch (layout_.photometric) {
      case PHOTOMETRIC_PALETTE:
        return "palette";
      case PHOTOMETRIC_RGB:
        if (layout_.bands == 3) return "RGB";
        if (layout_.bands == 4) return "RGBA";
        break;
      case PHOTOMETRIC_YCBCR:
        return "YCbCr";
      default:
        break;
    }
    return layout_.bands == 1 ? "grey" : std::to_string(layout_.bands) + "-band";
  }

  void read_layout() {
    TIFF* t = file_.handle();
    if (TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &layout_.width) == 0 ||
        TIFFGetField(t, TIFFTAG_IMAGELENGTH, &layout_.height) == 0) {
      fail();
    }
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &layout_.bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &layout_.bands);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &layout_.planar);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &layout_.compression);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &layout_.sample_format);
    TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &layout_.orientation);
    if (TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &layout_.photometric) == 0) {
      layout_.photometric = layout_.bands >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    }
    if (layout_.bands == 0) fail();
    if (layout_.bands == 1) layout_.planar = PLANARCONFIG_CONTIG;
    check_supported();
  }

  void check_supported() {
    if (layout_.sample_format != SAMPLEFORMAT_UINT && layout_.sample_format != SAMPLEFORMAT_VOID) {
      refuse("of " + std::to_string(layout_.bits) + "-bit " +
             (layout_.sample_format == SAMPLEFORMAT_IEEEFP ? "floating" : "signed or complex") +
             " samples");
    }
    const auto bits = layout_.bits;
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16) {
      refuse("of " + std::to_string(bits) + " bits per sample");
    }
    switch (layout_.photometric) {
      case PHOTOMETRIC_MINISBLACK:
      case PHOTOMETRIC_MINISWHITE:
      case PHOTOMETRIC_RGB:
        return;
      case PHOTOMETRIC_PALETTE:
        if (layout_.bands != 1 || bits > 8) refuse("with a palette of this shape");
        return;
      case PHOTOMETRIC_YCBCR:
        // Inside JPEG compression libtiff converts; raw YCbCr is a rarity of old fax software.
        if (layout_.compression != COMPRESSION_JPEG || bits != 8 || layout_.bands != 3 ||
            layout_.planar != PLANARCONFIG_CONTIG) {
          refuse("in YCbCr without JPEG compression");
        }
        TIFFSetField(file_.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        return;
      case PHOTOMETRIC_SEPARATED:
        refuse("in CMYK");
      default:
        refuse("in colour space " + std::to_string(layout_.photometric));
    }
  }

  std::uint64_t check_size(const Image& image) const {
    const bool palette = layout_.photometric == PHOTOMETRIC_PALETTE;
    // Plain and fax-like data have known limits; for the rest a generous one: LZW reaches 1365,
    // deflate 1032, zstd and LZMA some ten thousand.
    const std::uint64_t widening = 8 / static_cast<std::uint64_t>(std::min<int>(layout_.bits, 8));
    const std::uint64_t ratio =
        layout_.compression == COMPRESSION_NONE ? widening : 20000 * widening;
    check_image_size({layout_.width, layout_.height, palette ? 3u : layout_.bands,
                      static_cast<std::uint64_t>(image.bits), 0, 0},
                     name_);
    return check_image_size({layout_.width, layout_.height, layout_.bands,
                             static_cast<std::uint64_t>(image.bits), file_.size(), ratio},
                            name_);
  }

  void read_plane(std::uint16_t plane, Image& image) {
    TIFF* t = file_.handle();
    const bool tiled = TIFFIsTiled(t) != 0;
    std::uint32_t block_width = layout_.width, block_height = layout_.height;
    if (tiled) {
      TIFFGetField(t, TIFFTAG_TILEWIDTH, &block_width);
      TIFFGetField(t, TIFFTAG_TILELENGTH, &block_height);
    } else {
      std::uint32_t rows = layout_.height;
      TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &rows);
      block_height = std::min(rows, layout_.height);
    }
    if (block_width == 0 || block_height == 0) fail();
    // Untrusted: a tile may claim to be larger than the picture, but not without end.
    const std::uint64_t block_bytes = tiled ? TIFFTileSize64(t) : TIFFStripSize64(t);
    const std::uint64_t row_bytes = tiled ? TIFFTileRowSize64(t) : TIFFScanlineSize64(t);
    check_image_size({block_width, block_height, bands_per_plane(),
                      static_cast<std::uint64_t>(image.bits), 0, 0},
                     name_);
    if (block_bytes == 0 || row_bytes == 0 ||
        block_bytes > static_cast<std::uint64_t>(kMaxImageBytes) ||
        row_bytes * 8 < std::uint64_t{block_width} * bands_per_plane() * layout_.bits) {
      fail();
    }
    if (block_.size() < block_bytes) block_.resize(block_bytes);
    for (std::uint32_t y = 0; y < layout_.height; y += std::min(block_height, layout_.height - y)) {
      for (std::uint32_t x = 0; x < layout_.width; x += std::min(block_width, layout_.width - x)) {
        const std::uint32_t columns = std::min(block_width, layout_.width - x);
        const std::uint32_t rows = std::min(block_height, layout_.height - y);
        read_block(tiled, x, y, plane, rows, row_bytes, block_bytes);
        for (std::uint32_t r = 0; r < rows; ++r) {
          copy_row(block_.data() + r * row_bytes, x, y + r, columns, plane, image);
        }
      }
    }
  }

  void read_block(bool tiled, std::uint32_t x, std::uint32_t y, std::uint16_t plane,
                  std::uint32_t rows, std::uint64_t row_bytes, std::uint64_t block_bytes) {
    TIFF* t = file_.handle();
    const auto wanted = static_cast<tmsize_t>(tiled ? block_bytes : rows * row_bytes);
    const tmsize_t got =
        tiled ? TIFFReadEncodedTile(t, TIFFComputeTile(t, x, y, 0, plane), block_.data(), wanted)
              : TIFFReadEncodedStrip(t, TIFFComputeStrip(t, y, plane), block_.data(), wanted);
    // Some errors inside a block leave rows of zeros and a good count: the complaint decides.
    if (got != wanted || !TiffMemory::complaint().empty()) fail();
  }

  /// Samples of one block row to their place: widened to a byte, planes interleaved.
  void copy_row(const std::uint8_t* from, std::uint32_t x, std::uint32_t y, std::uint32_t columns,
                std::uint16_t plane, Image& image) const {
    const std::size_t bands = layout_.bands, own = bands_per_plane();
    const std::size_t first = (std::size_t{y} * layout_.width + x) * bands + plane;
    const std::size_t samples = columns * own;
    if (layout_.bits >= 8 && own == bands) {
      const std::size_t size = layout_.bits / 8;
      std::memcpy(image.pixels.data() + first * size, from, samples * size);
    } else if (layout_.bits == 16) {
      for (std::size_t i = 0; i < samples; ++i) {
        std::memcpy(image.pixels.data() + (first + i * bands) * 2, from + 2 * i, 2);
      }
    } else {
      const unsigned bits = layout_.bits, mask = (1u << bits) - 1;
      const std::size_t step = own == bands ? 1 : bands;
      for (std::size_t i = 0; i < samples; ++i) {
        const std::size_t bit = i * bits;
        image.pixels[first + i * step] =
            static_cast<std::uint8_t>((from[bit / 8] >> (8 - bits - bit % 8)) & mask);
      }
    }
  }

  void resolve_palette(Image& image) {
    std::uint16_t* table[3] = {};
    if (TIFFGetField(file_.handle(), TIFFTAG_COLORMAP, &table[0], &table[1], &table[2]) == 0)
      fail();
    std::vector<std::uint8_t> rgb(image.pixels.size() * 3);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {  // libtiff's table has 2^bits entries
      for (std::size_t c = 0; c < 3; ++c) {
        rgb[3 * i + c] = static_cast<std::uint8_t>(table[c][image.pixels[i]] >> 8);
      }
    }
    image.pixels = std::move(rgb);
    image.channels = 3;
    image.file_bits = 8;
  }

  void turn_round(Image& image) const {
    if (image.bits == 16) {
      auto* values = reinterpret_cast<std::uint16_t*>(image.pixels.data());
      std::transform(values, values + image.samples(), values,
                     [](std::uint16_t v) { return static_cast<std::uint16_t>(0xFFFF - v); });
    } else {
      const int white = (1 << layout_.bits) - 1;
      for (auto& v : image.pixels) v = static_cast<std::uint8_t>(white - v);
    }
  }

  const std::string& name_;
  TiffMemory file_;
  Layout layout_;
  std::vector<std::uint8_t> block_;
};

}  // namespace

Image decode_tiff(std::span<const std::byte> bytes, const std::string& name) {
  return Decoder(bytes, name).decode();
}

ImageSides tiff_sides(std::span<const std::byte> bytes, const std::string& name) {
  return Decoder(bytes, name).sides();
}

}  // namespace grasppanda::io
