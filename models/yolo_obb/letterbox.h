// From a picture to the network's input: scaled into a square with its aspect kept, borders to
// whole multiples of the largest stride. Equal to the reference byte for byte.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace grasppanda::models::yolo_obb {

/// Pixels; where the picture lies in the network's input.
struct Letterbox {
  std::int64_t image_width = 0, image_height = 0;
  std::int64_t width = 0, height = 0;  // of the scaled picture
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
  std::int64_t input_width() const { return left + width + right; }
  std::int64_t input_height() const { return top + height + bottom; }
};

/// `size`: side of the square that the picture is scaled into (enlarged, too), rounded up to a
/// multiple of 32. Borders complete each side to the next multiple of 32, not to the square.
Letterbox letterbox(std::int64_t image_width, std::int64_t image_height, std::int64_t size);

/// rgb (H, W, 3) uint8 -> (height, width, 3) uint8: bilinear in fixed point (weights of 11 bits),
/// columns clamped with their fraction, rows by index only. Source: OpenCV's rule for 8 bits.
at::Tensor resize_bilinear(const at::Tensor& rgb, std::int64_t width, std::int64_t height);

/// rgb (H, W, 3) uint8 -> (input height, input width, 3) uint8, borders grey (114).
at::Tensor letterboxed(const at::Tensor& rgb, const Letterbox& box);

/// Pictures (h, w, 3) uint8 of one size -> (B, 3, h, w) float32 in 0..1, channels-last.
at::Tensor network_input(const std::vector<at::Tensor>& pictures);

/// A centre and sides in the network's input taken back to the picture; angles stay as they are.
struct BackToPicture {
  double scale_x, scale_y, left, top;
  explicit BackToPicture(const Letterbox& box);
  float x(float value) const { return static_cast<float>((value - left) / scale_x); }
  float y(float value) const { return static_cast<float>((value - top) / scale_y); }
  float w(float value) const { return static_cast<float>(value / scale_x); }
  float h(float value) const { return static_cast<float>(value / scale_y); }
};

}  // namespace grasppanda::models::yolo_obb
