// TIFF in pieces: 8 and 16 bit samples that lie together, in strips or tiles, not turned.
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/image_rows.h"
#include "lib/io/image_size.h"
#include "lib/io/printable_text.h"
#include "lib/io/tiff_bands.h"
#include "lib/io/tiff_memory.h"

namespace grasppanda::io {
namespace {

class TiffRows final : public ImageRows {
 public:
  TiffRows(const SharedBytes& bytes, const std::string& name)
      : bytes_(bytes), name_(name), file_(bytes_.span(), name_) {}

  /// False where the picture has to be decoded whole (or refused, which read_image does in words).
  bool open() {
    TIFF* t = file_.handle();
    std::uint32_t width = 0, height = 0;
    if (t == nullptr || TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width) == 0 ||
        TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height) == 0) {
      return false;
    }
    std::uint16_t bits = 1, bands = 1, planar = PLANARCONFIG_CONTIG, format = SAMPLEFORMAT_UINT;
    std::uint16_t orientation = ORIENTATION_TOPLEFT, compression = COMPRESSION_NONE;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &bands);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &compression);
    if (TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &photometric) == 0) {
      photometric = bands >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    }
    const bool colours = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_RGB;
    const bool inside_jpeg = photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG &&
                             bits == 8 && bands == 3;
    if ((bits != 8 && bits != 16) || bands == 0 || width == 0 || height == 0 ||
        (planar != PLANARCONFIG_CONTIG && bands > 1) || !(colours || inside_jpeg) ||
        (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) ||
        orientation != ORIENTATION_TOPLEFT) {
      return false;
    }
    if (inside_jpeg) TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    header_.width = width;
    header_.height = height;
    header_.channels = bands;
    header_.bits = header_.file_bits = bits;
    header_.unnamed_fourth = has_unnamed_fourth_band(t);
    header_.format = std::to_string(bits) + "-bit TIFF of " + std::to_string(bands) +
                     (bands == 1 ? " band" : " bands");
    const std::uint64_t ratio = compression == COMPRESSION_NONE ? 1 : 20000;
    check_image_size({width, height, bands, bits, bytes_.size, ratio, true}, name_);
    return open_blocks();
  }

  void read(std::int64_t rows, std::uint8_t* to) override {
    for (std::int64_t r = 0; r < rows; ++r, to += header_.row_bytes(), ++next_) {
      if (tile_height_ == 0) {
        const int status = TIFFReadScanline(file_.handle(), to, static_cast<std::uint32_t>(next_));
        if (status != 1 || !TiffMemory::complaint().empty()) fail();
        continue;
      }
      const std::int64_t in_band = next_ % tile_height_;
      if (in_band == 0) read_band();
      std::memcpy(to, band_.data() + static_cast<std::size_t>(in_band) * header_.row_bytes(),
                  header_.row_bytes());
    }
  }

 private:
  [[noreturn]] void fail() const {
    const std::string complaint = TiffMemory::complaint();
    throw FormatError(name_ + ": damaged TIFF: " +
                      (complaint.empty() ? "it cannot be read" : printable(complaint)));
  }

  bool open_blocks() {
    TIFF* t = file_.handle();
    const std::uint64_t limit = static_cast<std::uint64_t>(kMaxImageBytes) / 8;
    TiffMemory::clear_complaint();  // odd tags that were of no consequence
    if (TIFFIsTiled(t) == 0) {
      return TIFFScanlineSize64(t) == header_.row_bytes() && TIFFStripSize64(t) <= limit;
    }
    std::uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(t, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(t, TIFFTAG_TILELENGTH, &tile_height);
    const std::uint64_t pixel = header_.row_bytes() / static_cast<std::uint64_t>(header_.width);
    // Untrusted: a tile may claim to be larger than the picture, but not without end.
    if (tile_width == 0 || tile_height == 0 || TIFFTileSize64(t) > limit ||
        TIFFTileRowSize64(t) != tile_width * pixel || header_.row_bytes() > limit / tile_height) {
      return false;
    }
    tile_width_ = tile_width;
    tile_height_ = tile_height;
    tile_.resize(TIFFTileSize64(t));
    band_.resize(header_.row_bytes() * tile_height);
    return true;
  }

  /// The tiles of the row of tiles that `next_` begins.
  void read_band() {
    TIFF* t = file_.handle();
    const std::size_t pixel = header_.row_bytes() / static_cast<std::size_t>(header_.width);
    const std::int64_t rows = std::min(tile_height_, header_.height - next_);
    for (std::int64_t x = 0; x < header_.width; x += tile_width_) {
      const auto size = static_cast<tmsize_t>(tile_.size());
      const tmsize_t got =
          TIFFReadEncodedTile(t,
                              TIFFComputeTile(t, static_cast<std::uint32_t>(x),
                                              static_cast<std::uint32_t>(next_), 0, 0),
                              tile_.data(), size);
      if (got != size || !TiffMemory::complaint().empty()) fail();
      const auto columns = static_cast<std::size_t>(std::min(tile_width_, header_.width - x));
      for (std::int64_t r = 0; r < rows; ++r) {
        std::memcpy(band_.data() + static_cast<std::size_t>(r) * header_.row_bytes() +
                        static_cast<std::size_t>(x) * pixel,
                    tile_.data() + static_cast<std::size_t>(r * tile_width_) * pixel,
                    columns * pixel);
      }
    }
  }

  const SharedBytes bytes_;
  const std::string name_;
  TiffMemory file_;
  std::int64_t tile_width_ = 0, tile_height_ = 0;  // 0: strips
  std::int64_t next_ = 0;
  std::vector<std::uint8_t> tile_, band_;
};

}  // namespace

std::unique_ptr<ImageRows> open_tiff_rows(const SharedBytes& file, const std::string& name) {
  auto rows = std::make_unique<TiffRows>(file, name);
  if (!rows->open()) return nullptr;
  return rows;
}

}  // namespace grasppanda::io
