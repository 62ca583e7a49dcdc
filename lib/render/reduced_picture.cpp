#include <algorithm>

#include "lib/render/detection_picture.h"

namespace grasppanda::render {

ReducedPicture::ReducedPicture(std::int64_t width, std::int64_t height)
    : width_(width),
      height_(height),
      factor_((std::max(width, height) + kLargestPicture - 1) / kLargestPicture) {
  factor_ = std::max<std::int64_t>(factor_, 1);
  image_.width = (width + factor_ - 1) / factor_;
  image_.height = (height + factor_ - 1) / factor_;
  image_.channels = 3;
  image_.format = "8-bit RGB";
  image_.pixels.resize(image_.samples());
  sums_.assign(static_cast<std::size_t>(3 * image_.width), 0);
}

void ReducedPicture::add(const std::uint8_t* rgb, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows && written_ < image_.height; ++r) {
    for (std::int64_t x = 0; x < width_; ++x, rgb += 3) {
      std::uint32_t* sum = sums_.data() + 3 * (x / factor_);
      for (int c = 0; c < 3; ++c) sum[c] += rgb[c];
    }
    if (++rows_ % factor_ == 0 || rows_ == height_) finish_row();
  }
}

void ReducedPicture::finish_row() {
  const std::int64_t rows = rows_ % factor_ == 0 ? factor_ : rows_ % factor_;
  std::uint8_t* to = image_.pixels.data() + 3 * image_.width * written_;
  for (std::int64_t x = 0; x < image_.width; ++x) {
    const std::int64_t columns = std::min(factor_, width_ - x * factor_);
    const auto count = static_cast<std::uint32_t>(rows * columns);
    for (int c = 0; c < 3; ++c, ++to)
      *to = static_cast<std::uint8_t>((sums_[static_cast<std::size_t>(3 * x + c)] + count / 2) /
                                      count);
  }
  std::fill(sums_.begin(), sums_.end(), 0U);
  ++written_;
}

io::Image ReducedPicture::take() && {
  return std::move(image_);
}

}  // namespace grasppanda::render
