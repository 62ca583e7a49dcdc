// oriented-det's own way with pictures that are larger than its canvas: windows at the picture's
// resolution.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "models/oriented_det/preprocess.h"
#include "models/oriented_det/selection.h"

namespace grasppanda::models::oriented_det {

/// Pixels of the picture; `width`, `height`: what of the window lies inside of it.
struct SlidingWindow {
  std::int64_t x, y, width, height;
};

/// From one window to the next along an axis: side - overlap, rounded, at least 1. `overlap`:
/// pixels, less than 1: share of the side.
std::int64_t window_step(std::int64_t side, double overlap);

/// Row by row. Origins lie a step apart on either axis while they are inside;
/// only the last one is moved back to the border, so that an earlier window may reach beyond it and
/// the order need not ascend. Published results depend on this grid.
std::vector<SlidingWindow> sliding_windows(std::int64_t width, std::int64_t height, Canvas canvas,
                                           double overlap);

/// (height, width, 3) of the canvas: the window's pixels, 0 where it reaches beyond the picture.
at::Tensor cut(const at::Tensor& picture, const SlidingWindow& window, Canvas canvas);

/// What of a window's detections counts.
struct WindowBorder {
  std::int64_t width, height;  // of the picture
  double ignored_margin = 0;   // along sides of a window that are no sides of the picture
};
/// The window's detections whose centres lie in the picture and outside of the margin, moved to the
/// window's place.
void add_window(const std::vector<Candidate>& found, const SlidingWindow& window,
                const WindowBorder& border, std::vector<Candidate>& all);

}  // namespace grasppanda::models::oriented_det
