#include "lib/io/image_rows.h"

#include <cstring>
#include <optional>
#include <utility>

#include "lib/io/content.h"
#include "lib/io/image.h"

namespace grasppanda::io {
namespace {

/// Any picture, decoded whole.
class WholePicture final : public ImageRows {
 public:
  explicit WholePicture(const std::filesystem::path& path) : image_(read_image(path)) {
    header_ = {.width = image_.width,
               .height = image_.height,
               .channels = image_.channels,
               .bits = image_.bits,
               .file_bits = image_.file_bits,
               .unnamed_fourth = image_.unnamed_fourth,
               .format = image_.format,
               .in_pieces = false};
  }

  void read(std::int64_t rows, std::uint8_t* to) override {
    const std::size_t size = static_cast<std::size_t>(rows) * header_.row_bytes();
    std::memcpy(to, image_.pixels.data() + next_, size);
    next_ += size;
  }

 private:
  Image image_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  std::unique_ptr<ImageRows> rows;
  switch (content_of(file.span())) {
    case Content::png:
      rows = open_png_rows(file, path.string());
      break;
    case Content::jpeg:
      rows = open_jpeg_rows(file, path.string());
      break;
    case Content::tiff:
      rows = open_tiff_rows(file, path.string());
      break;
    default:
      break;  // read_image says what is wrong
  }
  if (rows == nullptr) rows = std::make_unique<WholePicture>(path);
  return rows;
}

}  // namespace grasppanda::io
