// From a picture to the network's input, as MMRotate does it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace grasppanda::models::mmrotate {

/// How a picture was brought to the network: scaled to fit a square, padded right and below to
/// multiples of 32.
struct Resizing {
  std::int64_t width, height;                  // of the picture
  std::int64_t resized_width, resized_height;  // "img_shape"
  std::int64_t padded_width, padded_height;

  /// The two differ slightly, because sides are rounded to pixels.
  float scale_x() const {
    return static_cast<float>(static_cast<double>(resized_width) / static_cast<double>(width));
  }
  float scale_y() const {
    return static_cast<float>(static_cast<double>(resized_height) / static_cast<double>(height));
  }
};
/// Keeps the aspect ratio; smaller pictures are enlarged.
Resizing resizing(std::int64_t width, std::int64_t height, std::int64_t side);

/// (H, W, 3) uint8, with OpenCV's bilinear rule for 8 bits, byte for byte.
at::Tensor resized_bilinear(const at::Tensor& picture, std::int64_t width, std::int64_t height);

/// picture (H, W, 3) uint8 RGB -> (1, 3, Hp, Wp) float32, channels-last: normalized, then padded
/// with 0.
at::Tensor network_input(const at::Tensor& picture, const Resizing& to);

}  // namespace grasppanda::models::mmrotate
