// An 8-bit RGB picture to draw on; everything outside of it is ignored.
#pragma once

#include <array>
#include <cstdint>

#include "lib/io/image.h"

namespace grasppanda::render {

using Color = std::array<std::uint8_t, 3>;

class Canvas {
 public:
  /// Black. A size below 1 is an empty picture.
  Canvas(std::int64_t width, std::int64_t height);
  /// A copy of an 8-bit RGB image.
  explicit Canvas(const io::Image& image);

  std::int64_t width() const { return image_.width; }
  std::int64_t height() const { return image_.height; }

  /// Unchecked: 0 <= x < width, 0 <= y < height.
  std::uint8_t* pixel(std::int64_t x, std::int64_t y) {
    return image_.pixels.data() + 3 * (y * image_.width + x);
  }
  /// Mixes `color` in; opacity 0..255, 255 replaces. Unchecked as pixel().
  void blend(std::int64_t x, std::int64_t y, Color color, int opacity) {
    std::uint8_t* p = pixel(x, y);
    for (int c = 0; c < 3; ++c)
      p[c] = static_cast<std::uint8_t>((p[c] * (255 - opacity) + color[c] * opacity + 127) / 255);
  }
  /// Mixes `color` into a rectangle, clipped to the picture.
  void fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Color color,
            int opacity = 255);
  /// Puts a picture at (x, y), clipped.
  void paste(const Canvas& other, std::int64_t x, std::int64_t y);

  io::Image take() && { return std::move(image_); }

 private:
  io::Image image_;
};

}  // namespace grasppanda::render
