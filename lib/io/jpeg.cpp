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

// libjpeg reports errors by longjmp. Every function below that calls setjmp holds nothing with a
// destructor; what must be freed belongs to its caller.

namespace grasppanda::io {
namespace {

constexpr std::string_view kExifMark("Exif\0\0", 6);
constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kMaxScans = 1000;  // each scan of a progressive file costs a pass over the picture

struct Errors {
  jpeg_error_mgr base;  // first: libjpeg hands back a pointer to it
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void on_error(j_common_ptr common) {
  auto* errors = reinterpret_cast<Errors*>(common->err);
  errors->base.format_message(common, errors->message);
  std::longjmp(errors->jump, 1);
}

void on_message(j_common_ptr common, int level) {
  if (level >= 0) return;  // a trace
  switch (common->err->msg_code) {
    case JWRN_ADOBE_XFORM:  // odd notes in a sound picture
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      on_error(common);  // pixels would be made up: cut off, bad codes
  }
}

void on_progress(j_common_ptr common) {
  if (common->is_decompressor == 0) return;
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans) {
    auto* errors = reinterpret_cast<Errors*>(common->err);
    std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", kMaxScans);
    std::longjmp(errors->jump, 1);
  }
}

struct Decoder {
  Decoder() {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_error;
    errors.base.emit_message = on_message;
    progress.progress_monitor = on_progress;
  }
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  jpeg_decompress_struct info{};
  Errors errors{};
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
