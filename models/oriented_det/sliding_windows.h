// oriented-det's own way with pictures that are larger than its canvas: windows at the picture's
// resolution.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "models/oriented_det/selection.h"

namespace grasppanda::models::oriented_det {

/// Pixels of the picture; `width`, `height`: what of the window lies inside of it.
struct SlidingWindow {
  std::int64_t x, y, width, height;
};

/// Row by row. Origins lie a step of side - overlap apart while they are inside; only the last one
/// is moved back to the border, so that an earlier window may reach beyond it and the order need
/// not ascend. Published results depend on this grid.
std::vector<SlidingWindow> sliding_windows(std::int64_t width, std::int64_t height,
                                           std::int64_t side, std::int64_t overlap);

/// (side, side, 3): the window's pixels, 0 where it reaches beyond the picture.
at::Tensor cut(const at::Tensor& picture, const SlidingWindow& window, std::int64_t side);

/// The window's detections whose centres lie in the picture, moved to its place.
void add_window(const std::vector<Candidate>& found, const SlidingWindow& window,
                std::vector<Candidate>& all);

}  // namespace grasppanda::models::oriented_det
