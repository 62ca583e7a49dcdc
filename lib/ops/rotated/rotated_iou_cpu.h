// The CPU kernel of rotated_iou. No LibTorch here.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/ops/rotated/box_frame.h"
#include "lib/ops/rotated/rectangle_overlap.h"

namespace grasppanda::ops {

/// out (N x M): every entry is written. T is float or double.
template <class T>
void rotated_iou_cpu(const std::vector<BoxFrame>& first, const std::vector<BoxFrame>& second,
                     OverlapRatio ratio, int threads, T* out);

/// out (N): pair k with pair k.
template <class T>
void aligned_rotated_iou_cpu(const std::vector<BoxFrame>& first,
                             const std::vector<BoxFrame>& second, OverlapRatio ratio, int threads,
                             T* out);

}  // namespace grasppanda::ops
