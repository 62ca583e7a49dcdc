// The functions of libgrasppanda_ops_cuda.so for rotated boxes; the rules of
// lib/ops/cuda_interface.h.
//
// Boxes are rows (cx, cy, w, h, angle). What a function makes of them first goes to memory of the
// caller: a BoxFrame (box_frame.h), SampledBox (sampled_box.h) or RoiPlan (roi_plan.h) for each.
#pragma once

#include "lib/ops/cuda_interface.h"

/// boxes1 (n, 5), boxes2 (m, 5), float, or double where `wide`; frames: n + m. ratios (n, m) of the
/// type of the boxes, or (n,) where `aligned`, n == m. `of_first`: shares of the first box.
struct GrasppandaOverlapCall {
  const void *boxes1, *boxes2;
  std::int64_t n, m;
  bool wide, aligned, of_first;
  void *frames, *ratios;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_rotated_iou(GrasppandaCudaPlace place,
                                                                 GrasppandaOverlapCall call);

/// Boxes that suppress each other are looked at in runs of this many, in order.
constexpr std::int64_t kGrasppandaSuppressionRun = 2048;

/// boxes (n, 5), best first, groups (n,). frames: n; mask: the square of the run in bits; kept: one
/// more than the run. suppressed (n,): 1 where a box goes.
struct GrasppandaSuppressionCall {
  const void* boxes;
  const std::int64_t* groups;
  std::int64_t n;
  bool wide;
  double threshold;
  bool at_equality;
  void* frames;
  unsigned long long* mask;
  std::int64_t* kept;
  std::uint8_t* suppressed;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_rotated_nms(GrasppandaCudaPlace place,
                                                                 GrasppandaSuppressionCall call);

/// boxes1 (n, 5), boxes2 (m, 5) float, `grid` points a side; made: n + m SampledBox. ratios as
/// above.
struct GrasppandaSampledCall {
  const float *boxes1, *boxes2;
  std::int64_t n, m;
  bool aligned;
  unsigned grid;
  void* made;
  float* ratios;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_sampled_iou(GrasppandaCudaPlace place,
                                                                 GrasppandaSampledCall call);

/// boxes (n, 5) float, best first; made: n SampledBox. mask (n, (n + 31) / 32): bit j % 32 of word
/// j / 32 of row i where i comes before j and overlaps it by more than the threshold.
struct GrasppandaSampledMaskCall {
  const float* boxes;
  std::int64_t n;
  unsigned grid;
  float threshold, least_bound;
  void* made;
  std::uint32_t* mask;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_sampled_mask(GrasppandaCudaPlace place,
                                                                  GrasppandaSampledMaskCall call);

/// maps (batch, channels, height, width), rows (rois, 4) or (rois, 5) float as `kind` (a RoiKind)
/// has them, map_of (rois,); plans: rois RoiPlan. out (rois, channels, cells, cells).
struct GrasppandaRoiAlignCall {
  const float* maps;
  std::int64_t channels;
  int height, width;
  const float* rows;
  const std::int64_t* map_of;
  std::int64_t rois;
  int kind;
  float scale;
  int cells, sampling_ratio;
  void* plans;
  float* out;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_roi_align(GrasppandaCudaPlace place,
                                                               GrasppandaRoiAlignCall call);
