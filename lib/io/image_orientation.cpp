#include "lib/io/image_orientation.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace grasppanda::io {
namespace {

struct ExifDataDeleter {
  void operator()(ExifData* data) const { exif_data_unref(data); }
};

/// Where the stored picture's pixel (column, row) stands in the upright one.
struct Turn {
  bool swap_axes;    // stored rows become columns; applied last
  bool flip_column;  // in stored coordinates
  bool flip_row;
};

constexpr Turn kTurns[9] = {
    {false, false, false}, {false, false, false}, {false, true, false},
    {false, true, true},   {false, false, true},  {true, false, false},
    {true, false, true},   {true, true, true},    {true, true, false},
};

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  constexpr std::string_view kMark("Exif\0\0", 6);  // libexif wants the block with its mark
  constexpr std::size_t kMaxBlock = 1 << 16;        // a JPEG segment cannot be longer
  if (exif.size() < 8 || exif.size() > kMaxBlock) return 1;
  std::vector<unsigned char> block(kMark.begin(), kMark.end());
  block.insert(block.end(), reinterpret_cast<const unsigned char*>(exif.data()),
               reinterpret_cast<const unsigned char*>(exif.data()) + exif.size());
  const std::unique_ptr<ExifData, ExifDataDeleter> data(
      exif_data_new_from_data(block.data(), static_cast<unsigned int>(block.size())));
  if (!data) return 1;
  const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->size < 2) return 1;
  const int value = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return value >= 1 && value <= 8 ? value : 1;
}

Image upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const Turn turn = kTurns[orientation];
  const auto w = static_cast<std::size_t>(image.width), h = static_cast<std::size_t>(image.height);
  const std::size_t bytes = static_cast<std::size_t>(image.channels * (image.bits / 8));
  std::vector<std::uint8_t> turned(image.pixels.size());
  const std::size_t out_width = turn.swap_axes ? h : w;
  for (std::size_t row = 0; row < h; ++row) {
    for (std::size_t column = 0; column < w; ++column) {
      const std::size_t c = turn.flip_column ? w - 1 - column : column;
      const std::size_t r = turn.flip_row ? h - 1 - row : row;
      const std::size_t to = turn.swap_axes ? c * out_width + r : r * out_width + c;
      std::memcpy(turned.data() + to * bytes, image.pixels.data() + (row * w + column) * bytes,
                  bytes);
    }
  }
  if (turn.swap_axes) std::swap(image.width, image.height);
  image.pixels = std::move(turned);
  return image;
}

}  // namespace grasppanda::io
