// PNG in pieces: every picture that is not interlaced and not turned.
#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <new>

#include "lib/io/format_error.h"
#include "lib/io/image_orientation.h"
#include "lib/io/image_rows.h"
#include "lib/io/image_size.h"

// libpng reports errors by longjmp. Every function below that calls setjmp holds nothing with a
// destructor; what must be freed belongs to its caller.

namespace grasppanda::io {
namespace {

struct Session {
  std::span<const std::byte> left;
  char message[200] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* session = static_cast<Session*>(png_get_error_ptr(png));
  std::strncpy(session->message, message, sizeof(session->message) - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, size_t count) {
  auto* session = static_cast<Session*>(png_get_io_ptr(png));
  if (count > session->left.size()) png_error(png, "the file is cut off");
  std::memcpy(to, session->left.data(), count);
  session->left = session->left.subspan(count);
}

/// The orientation may stand behind the pixels, so chunks are walked before any is decoded.
int stored_orientation(std::span<const std::byte> file) {
  std::size_t at = 8;
  while (at + 12 <= file.size()) {
    const auto* p = reinterpret_cast<const unsigned char*>(file.data()) + at;
    const std::size_t length = std::size_t{p[0]} << 24 | std::size_t{p[1]} << 16 |
                               std::size_t{p[2]} << 8 | std::size_t{p[3]};
    if (length > file.size() - at - 12) break;
    if (std::memcmp(p + 4, "eXIf", 4) == 0) return exif_orientation(file.subspan(at + 8, length));
    at += 12 + length;
  }
  return 1;
}

class PngRows final : public ImageRows {
 public:
  PngRows(const SharedBytes& file, const std::string& name) : file_(file), name_(name) {
    session_.left = file_.span();
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &session_, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngRows() override { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngRows(const PngRows&) = delete;
  PngRows& operator=(const PngRows&) = delete;

  /// False where the picture has to be decoded whole.
  bool open() {
    if (!read_header()) fail();
    const bool palette = colour_ == PNG_COLOR_TYPE_PALETTE;
    if (interlaced_ || palette || stored_orientation(file_.span()) != 1) return false;
    const auto bits = static_cast<std::uint64_t>(std::min(file_bits_, 8));
    header_.channels = colour_ == PNG_COLOR_TYPE_GRAY         ? 1
                       : colour_ == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                       : colour_ == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
                                                              : 3;
    header_.bits = file_bits_ == 16 ? 16 : 8;
    header_.file_bits = file_bits_;
    header_.format = std::to_string(file_bits_) + "-bit PNG";
    constexpr std::uint64_t kMaxDeflateRatio = 1032;
    check_image_size(
        {static_cast<std::uint64_t>(header_.width), static_cast<std::uint64_t>(header_.height),
         static_cast<std::uint64_t>(header_.channels), static_cast<std::uint64_t>(header_.bits),
         file_.size, kMaxDeflateRatio * (8 / bits), true},
        name_);
    if (!start_rows()) fail();
    if (png_get_rowbytes(png_, info_) != header_.row_bytes()) {
      throw FormatError(name_ + ": damaged PNG: rows of an unexpected length");
    }
    return true;
  }

  void read(std::int64_t rows, std::uint8_t* to) override {
    if (!read_rows(rows, to, header_.row_bytes())) fail();
    done_ += rows;
    if (done_ == header_.height && !read_end()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw FormatError(name_ + ": damaged PNG: " + session_.message);
  }
  bool read_header() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, &session_, on_read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_image_size decides
    png_read_info(png_, info_);
    header_.width = png_get_image_width(png_, info_);
    header_.height = png_get_image_height(png_, info_);
    file_bits_ = png_get_bit_depth(png_, info_);
    colour_ = png_get_color_type(png_, info_);
    interlaced_ = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    return true;
  }
  bool start_rows() {
    if (setjmp(png_jmpbuf(png_))) return false;
    if (file_bits_ < 8) png_set_packing(png_);
    if (file_bits_ == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  bool read_rows(std::int64_t rows, std::uint8_t* to, std::size_t stride) {
    if (setjmp(png_jmpbuf(png_))) return false;
    for (std::int64_t r = 0; r < rows; ++r) {
      png_read_row(png_, to + static_cast<std::size_t>(r) * stride, nullptr);
    }
    return true;
  }
  bool read_end() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_end(png_, nullptr);
    return true;
  }

  const SharedBytes file_;
  const std::string name_;
  Session session_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int file_bits_ = 8, colour_ = 0;
  bool interlaced_ = false;
  std::int64_t done_ = 0;
};

}  // namespace

std::unique_ptr<ImageRows> open_png_rows(const SharedBytes& file, const std::string& name) {
  auto rows = std::make_unique<PngRows>(file, name);
  if (!rows->open()) return nullptr;
  return rows;
}

}  // namespace grasppanda::io
