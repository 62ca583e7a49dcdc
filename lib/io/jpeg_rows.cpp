// JPEG in pieces: every grey or colour picture that is not turned. (Of a progressive one libjpeg
// keeps all coefficients, as its format demands.)
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "lib/io/format_error.h"
#include "lib/io/image_orientation.h"
#include "lib/io/image_rows.h"
#include "lib/io/image_size.h"
#include "lib/io/jpeg_errors.h"

// libjpeg reports errors by longjmp. Every function below that calls setjmp holds nothing with a
// destructor; what must be freed belongs to its caller.

namespace grasppanda::io {
namespace {

class JpegRows final : public ImageRows {
 public:
  JpegRows(const SharedBytes& file, const std::string& name) : file_(file), name_(name) {
    report_errors(info_, errors_, progress_);
  }
  ~JpegRows() override { jpeg_destroy_decompress(&info_); }
  JpegRows(const JpegRows&) = delete;
  JpegRows& operator=(const JpegRows&) = delete;

  /// False where the picture has to be decoded whole.
  bool open() {
    if (!read_header()) fail();
    if (!plain_ || orientation() != 1) return false;
    header_.width = info_.output_width;
    header_.height = info_.output_height;
    header_.channels = info_.out_color_components;
    header_.format = header_.channels == 1 ? "8-bit grey JPEG" : "8-bit RGB JPEG";
    constexpr std::uint64_t kPixelsPerByte = 8 * 64 * 4;  // see decode_jpeg
    const auto channels = static_cast<std::uint64_t>(header_.channels);
    check_image_size({info_.output_width, info_.output_height, channels, 8, file_.size,
                      kPixelsPerByte * channels, true},
                     name_);
    return true;
  }

  void read(std::int64_t rows, std::uint8_t* to) override {
    if (!read_rows(rows, to, header_.row_bytes())) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw FormatError(name_ + ": damaged JPEG: " + errors_.message);
  }

  bool read_header() {
    if (setjmp(errors_.jump)) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data.get()),
                 static_cast<unsigned long>(file_.size));
    jpeg_save_markers(&info_, kExifMarker, 0xFFFF);
    jpeg_read_header(&info_, TRUE);
    const J_COLOR_SPACE space = info_.jpeg_color_space;
    plain_ = space == JCS_GRAYSCALE || space == JCS_RGB || space == JCS_YCbCr;
    if (!plain_) return true;
    info_.out_color_space = space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_calc_output_dimensions(&info_);
    return true;
  }
  bool read_rows(std::int64_t rows, std::uint8_t* to, std::size_t stride) {
    if (setjmp(errors_.jump)) return false;
    if (!started_) jpeg_start_decompress(&info_);
    started_ = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      JSAMPROW row = to + static_cast<std::size_t>(r) * stride;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    if (info_.output_scanline == info_.output_height) jpeg_finish_decompress(&info_);
    return true;
  }
  int orientation() const {
    for (auto* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kExifMarker && data.starts_with(kExifMark)) {
        return exif_orientation(std::as_bytes(std::span(data.substr(kExifMark.size()))));
      }
    }
    return 1;
  }

  const SharedBytes file_;
  const std::string name_;
  jpeg_decompress_struct info_{};
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
  bool plain_ = false, started_ = false;
};

}  // namespace

std::unique_ptr<ImageRows> open_jpeg_rows(const SharedBytes& file, const std::string& name) {
  auto rows = std::make_unique<JpegRows>(file, name);
  if (!rows->open()) return nullptr;
  return rows;
}

}  // namespace grasppanda::io
