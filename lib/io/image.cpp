#include "lib/io/image.h"

#include <algorithm>
#include <stdexcept>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/jpeg.h"
#include "lib/io/mapped_file.h"
#include "lib/io/png.h"
#include "lib/io/tiff.h"

namespace grasppanda::io {
namespace {

/// Channels that carry colour; the second and fourth of small pictures are alpha.
int colour_channels(const Image& image) {
  switch (image.channels) {
    case 2:
      return 1;
    case 4:
      return 3;
    default:
      return image.channels;
  }
}

}  // namespace

std::span<const std::uint8_t> Image::u8() const {
  if (bits != 8) throw std::logic_error("u8() of a picture of 16 bits");
  return pixels;
}

std::span<const std::uint16_t> Image::u16() const {
  if (bits != 16) throw std::logic_error("u16() of a picture of 8 bits");
  return {reinterpret_cast<const std::uint16_t*>(pixels.data()), pixels.size() / 2};
}

Image read_image(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  const std::string name = path.string();
  switch (const Content content = content_of(file.span())) {
    case Content::png:
      return decode_png(file.span(), name);
    case Content::jpeg:
      return decode_jpeg(file.span(), name);
    case Content::tiff:
      return decode_tiff(file.span(), name);
    case Content::unknown:
      throw FormatError(name + ": not a picture that is read here; wanted PNG, JPEG or TIFF");
    default:
      throw FormatError(name + ": is " + std::string(content_words(content)) +
                        "; wanted a PNG, JPEG or TIFF picture");
  }
}

Image to_rgb8(const Image& image) {
  if (colour_channels(image) < 3) return to_rgb8(image, {0, 0, 0});
  return to_rgb8(image, {0, 1, 2});
}

Image to_rgb8(const Image& image, const std::array<int, 3>& bands) {
  for (const int band : bands) {
    if (band < 0 || band >= image.channels) {
      throw std::invalid_argument("band " + std::to_string(band) + " of a picture with " +
                                  std::to_string(image.channels) + " (counted from 0)");
    }
  }
  Image out;
  out.width = image.width;
  out.height = image.height;
  out.channels = 3;
  out.format = image.format;
  const auto n = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  const auto step = static_cast<std::size_t>(image.channels);
  if (image.bits == 8 && image.file_bits == 8 && step == 3 && bands == std::array{0, 1, 2}) {
    out.pixels = image.pixels;
    return out;
  }
  out.pixels.resize(n * 3);
  const int full = image.file_bits < 8 ? (1 << image.file_bits) - 1 : 255;
  for (std::size_t b = 0; b < 3; ++b) {
    std::uint8_t* to = out.pixels.data() + b;
    if (image.bits == 16) {
      const std::uint16_t* from = image.u16().data() + bands[b];
      for (std::size_t i = 0; i < n; ++i) {
        to[3 * i] = static_cast<std::uint8_t>(from[step * i] >> 8);
      }
    } else {
      const std::uint8_t* from = image.pixels.data() + bands[b];
      for (std::size_t i = 0; i < n; ++i) {
        to[3 * i] = static_cast<std::uint8_t>(from[step * i] * 255 / full);
      }
    }
  }
  return out;
}

std::vector<std::uint8_t> nonzero_pixels(const Image& image) {
  const auto n = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  const auto step = static_cast<std::size_t>(image.channels);
  const auto colours = static_cast<std::size_t>(colour_channels(image));
  std::vector<std::uint8_t> out(n);
  const auto mark = [&](const auto* from) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto* pixel = from + i * step;
      out[i] = std::any_of(pixel, pixel + colours, [](auto v) { return v != 0; }) ? 1 : 0;
    }
  };
  if (image.bits == 16) {
    mark(image.u16().data());
  } else {
    mark(image.u8().data());
  }
  return out;
}

}  // namespace grasppanda::io
