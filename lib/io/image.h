// A decoded picture, rows top to bottom, channels interleaved.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grasppanda::io {

struct Image {
  std::int64_t width = 0, height = 0;
  int channels = 0;             // 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA; TIFF may have more bands
  int bits = 8;                 // 8 or 16: what `pixels` holds (1, 2 and 4 bit files are widened)
  int file_bits = 8;            // bits per sample in the file: 1, 2, 4, 8 or 16
  bool unnamed_fourth = false;  // four bands, the last of which the file does not call alpha
  std::vector<std::uint8_t> pixels;  // bits == 8: H*W*C bytes; bits == 16: native-endian uint16
  std::string format;  // as found in the file: "16-bit grey PNG", "1-bit grey PNG", ...

  std::size_t samples() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(channels);
  }
  std::span<const std::uint8_t> u8() const;    // throws std::logic_error unless bits == 8
  std::span<const std::uint16_t> u16() const;  // throws std::logic_error unless bits == 16
};

/// The most that a decoded picture may take: aerial pictures of a gigapixel fit, absurd sizes do
/// not.
inline constexpr std::int64_t kMaxImageBytes = std::int64_t{4} << 30;

/// Reads PNG, JPEG or TIFF, told apart by content, never by name. Turned upright by the EXIF (or
/// TIFF) orientation. Palettes are resolved. A 1, 2 or 4 bit grey picture keeps its raw values
/// (0..1, 0..3, 0..15). Throws FormatError: empty, cut off, damaged, HTML, unknown, of a kind that
/// is not read, more than kMaxImageBytes decoded or more than its file can hold (checked before
/// memory is taken).
Image read_image(const std::filesystem::path& path);

/// 8-bit RGB: alpha dropped (never blended), grey repeated, 16 bit by the high byte, grey of less
/// than 8 bits stretched to 0..255. Of more bands than four the first three are taken.
Image to_rgb8(const Image& image);

/// 8-bit RGB made of three bands, counted from 0. Throws std::invalid_argument for a band that the
/// picture lacks.
Image to_rgb8(const Image& image, const std::array<int, 3>& bands);

/// One byte a pixel: 1 where a channel other than alpha is not 0. How masks are read, whatever
/// their bit depth.
std::vector<std::uint8_t> nonzero_pixels(const Image& image);

}  // namespace grasppanda::io
