#include "lib/render/canvas.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace grasppanda::render {

Canvas::Canvas(std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1) width = height = 0;
  image_.width = width;
  image_.height = height;
  image_.channels = 3;
  image_.bits = 8;
  image_.format = "8-bit RGB";
  image_.pixels.assign(image_.samples(), 0);
}

Canvas::Canvas(const io::Image& image) : Canvas(image.width, image.height) {
  const auto from = image.u8();
  std::copy_n(from.begin(), std::min(from.size(), image_.pixels.size()), image_.pixels.begin());
}

void Canvas::fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                  Color color, int opacity) {
  const std::int64_t x1 = std::min(x + width, this->width());
  const std::int64_t y1 = std::min(y + height, this->height());
  for (std::int64_t j = std::max<std::int64_t>(y, 0); j < y1; ++j)
    for (std::int64_t i = std::max<std::int64_t>(x, 0); i < x1; ++i) blend(i, j, color, opacity);
}

void Canvas::paste(const Canvas& other, std::int64_t x, std::int64_t y) {
  const std::int64_t from = std::max<std::int64_t>(0, -x);
  const std::int64_t columns = std::min(other.width(), width() - x) - from;
  if (columns <= 0) return;
  for (std::int64_t j = std::max<std::int64_t>(0, -y); j < std::min(other.height(), height() - y);
       ++j)
    std::memcpy(pixel(x + from, y + j), other.image_.pixels.data() + 3 * (j * other.width() + from),
                static_cast<std::size_t>(3 * columns));
}

}  // namespace grasppanda::render
