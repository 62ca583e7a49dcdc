// From a picture to the network's input, as oriented-det does it with Pillow.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace grasppanda::models::oriented_det {

enum class ResizeMode : std::uint8_t {
  fixed,       // stretched to the canvas, whatever its shape
  pad,         // scaled to fit, in the middle of the canvas
  keep_ratio,  // scaled to fit, no canvas
  crop,        // never scaled: the middle of the picture, or the picture in the middle
};

/// What the network sees; no square in some settings.
struct Canvas {
  std::int64_t width, height;
};

/// How a picture came to the canvas.
struct Placement {
  std::int64_t width, height;                  // of the picture
  std::int64_t resized_width, resized_height;  // after scaling
  std::int64_t canvas_width, canvas_height;    // what the network sees, before padding to 32
  std::int64_t pad_left, pad_top, crop_left, crop_top;
  double scale_x, scale_y;
};
Placement placement(std::int64_t width, std::int64_t height, ResizeMode mode, Canvas canvas);

/// (H, W, 3) uint8, with the bilinear filter of Pillow 13: antialiased on reduction, the two passes
/// rounded to 8 bits. Results of older releases differ by one grey level where those resize the
/// width first and this one the height.
at::Tensor resized_bilinear(const at::Tensor& picture, std::int64_t width, std::int64_t height);
/// The picture on its canvas, (canvas_height, canvas_width, 3) uint8.
at::Tensor on_canvas(const at::Tensor& picture, const Placement& at);

/// mean and std of value / 255, red, green, blue.
struct Normalization {
  std::array<float, 3> mean, std;
};
/// (1, 3, H', W') float32, channels-last. The padding to multiples of `divisor` comes before the
/// normalization, and so is not 0.
at::Tensor network_input(const at::Tensor& canvas, const Normalization& normalization,
                         std::int64_t divisor = 32);

}  // namespace grasppanda::models::oriented_det
