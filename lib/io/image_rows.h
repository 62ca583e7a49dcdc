// A picture read from top to bottom in pieces, for those that are larger than memory should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "lib/io/mapped_file.h"

namespace grasppanda::io {

struct ImageHeader {
  std::int64_t width = 0, height = 0;  // upright
  int channels = 0;                    // as Image has them
  int bits = 8, file_bits = 8;         // likewise
  bool unnamed_fourth = false;         // likewise
  std::string format;
  /// Is the picture decoded piece by piece? Interlaced, turned, palette and plane-wise pictures are
  /// decoded whole.
  bool in_pieces = true;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) *
           static_cast<std::size_t>(bits / 8);
  }
};

class ImageRows {
 public:
  virtual ~ImageRows() = default;
  const ImageHeader& header() const { return header_; }
  /// The next `rows` rows, interleaved samples as Image::pixels has them, rows * row_bytes() bytes.
  /// Not beyond the last row. Throws FormatError: cut off, damaged.
  virtual void read(std::int64_t rows, std::uint8_t* to) = 0;

 protected:
  ImageHeader header_;
};

/// Reads the header; rows when they are asked for. Throws FormatError as read_image does; the limit
/// of decoded size does not hold for pictures that are read in pieces.
std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& path);

/// One function per format: null where the picture cannot be read in pieces. `file` is held.
std::unique_ptr<ImageRows> open_png_rows(const SharedBytes& file, const std::string& name);
std::unique_ptr<ImageRows> open_jpeg_rows(const SharedBytes& file, const std::string& name);
std::unique_ptr<ImageRows> open_tiff_rows(const SharedBytes& file, const std::string& name);

}  // namespace grasppanda::io
