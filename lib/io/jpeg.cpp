#include "lib/io/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

// After <cstdio>: the header uses FILE.
#include <jpeglib.h>

#include <jerror.h>

#include "lib/io/format_error.h"
#include "lib/io/image_orientation.h"
#include "lib/io/image_size.h"
#include "lib/io/jpeg_errors.h"

// libjpeg reports errors by longjmp. Every function below that calls setjmp holds nothing with a
// destructor; what must be freed belongs to its caller.

namespace grasppanda::io {
namespace {

struct Decoder {
  Decoder() { report_errors(info, errors, progress); }
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  jpeg_decompress_struct info{};
  JpegErrors errors{};
  jpeg_progress_mgr progress{};
};

bool read_header(Decoder& decoder, std::span<const std::byte> bytes) {
  jpeg_decompress_struct& info = decoder.info;
  if (setjmp(decoder.errors.jump)) return false;
  jpeg_create_decompress(&info);
  info.progress = &decoder.progress;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&info, kExifMarker, 0xFFFF);
  jpeg_read_header(&info, TRUE);
  switch (info.jpeg_color_space) {
    case JCS_GRAYSCALE:
      info.out_color_space = JCS_GRAYSCALE;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      info.out_color_space = JCS_CMYK;
      break;
    case JCS_RGB:
    case JCS_YCbCr:
      info.out_color_space = JCS_RGB;
      break;
    default:
      ERREXIT(&info, JERR_CONVERSION_NOTIMPL);
  }
  jpeg_calc_output_dimensions(&info);
  return true;
}

bool read_rows(Decoder& decoder, unsigned char* pixels, std::size_t stride) {
  jpeg_decompress_struct& info = decoder.info;
  if (setjmp(decoder.errors.jump)) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

int orientation(const jpeg_decompress_struct& info) {
  for (auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == kExifMarker && data.starts_with(kExifMark)) {
      return exif_orientation(std::as_bytes(std::span(data.substr(kExifMark.size()))));
    }
  }
  return 1;
}

/// Ink to light: what each ink lets through, times what black lets through, in 8 bits.
std::vector<std::uint8_t> rgb_from_cmyk(const std::vector<std::uint8_t>& cmyk,
                                        bool stored_inverted) {
  const auto light = [&](std::uint8_t ink) {
    return static_cast<unsigned>(stored_inverted ? ink : 255 - ink);
  };
  std::vector<std::uint8_t> rgb(cmyk.size() / 4 * 3);
  for (std::size_t i = 0; i < cmyk.size() / 4; ++i) {
    const unsigned k = light(cmyk[4 * i + 3]);
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[3 * i + c] = static_cast<std::uint8_t>((light(cmyk[4 * i + c]) * k + 127) / 255);
    }
  }
  return rgb;
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
  Decoder decoder;
  const auto fail = [&] { throw FormatError(name + ": damaged JPEG: " + decoder.errors.message); };
  if (!read_header(decoder, bytes)) fail();
  const jpeg_decompress_struct& info = decoder.info;
  const bool cmyk = info.out_color_space == JCS_CMYK;
  const int turn = orientation(info);  // the markers are freed with the last row

  Image image;
  image.width = info.output_width;
  image.height = info.output_height;
  image.channels = info.out_color_components;
  image.format = cmyk                                    ? "8-bit CMYK JPEG"
                 : info.out_color_space == JCS_GRAYSCALE ? "8-bit grey JPEG"
                                                         : "8-bit RGB JPEG";
  // A bit at least for every 8x8 block of the finest component, itself subsampled by 4 at most.
  constexpr std::uint64_t kPixelsPerByte = 8 * 64 * 4;
  const std::uint64_t size = check_image_size(
      {info.output_width, info.output_height, static_cast<std::uint64_t>(image.channels), 8,
       bytes.size(), kPixelsPerByte * static_cast<std::uint64_t>(image.channels)},
      name);
  image.pixels.resize(size);
  if (!read_rows(decoder, image.pixels.data(), size / info.output_height)) fail();
  if (cmyk) {
    image.pixels = rgb_from_cmyk(image.pixels, info.saw_Adobe_marker != FALSE);
    image.channels = 3;
  }
  return upright(std::move(image), turn);
}

ImageSides jpeg_sides(std::span<const std::byte> bytes, const std::string& name) {
  Decoder decoder;
  if (!read_header(decoder, bytes)) {
    throw FormatError(name + ": damaged JPEG: " + decoder.errors.message);
  }
  return {decoder.info.output_width, decoder.info.output_height};
}

}  // namespace grasppanda::io
