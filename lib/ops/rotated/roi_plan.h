// How RoI align spreads points over a box. In float32, written once for reference, CPU and CUDA
// kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/ops/host_device.h"
#include "lib/ops/rotated/sine_cosine.h"

namespace grasppanda::ops {

enum class RoiKind : std::uint8_t {
  horizontal,  // (x1, y1, x2, y2); means of points spread over the cell
  rotated,     // (cx, cy, w, h, a); the same, as mmcv's operator
  spanning,    // rotated; one point a cell, the outer ones on the edges, as oriented-det's
};

/// Points of one RoI: those of cell (ph, pw) are numbered (iy, ix) and lie, before the turn, at
/// start + cell * step + (i + 0.5) * step / n.
struct RoiPlan {
  RoiKind kind;
  int ny, nx;  // points a cell; 0 where the RoI is no number or empty: the cell is 0
  float start_y, start_x, step_y, step_x;
  float centre_y, centre_x, cosine, sine;
  float scale;
};

namespace roi {

inline constexpr int kMostPoints = 512;  // a cell and axis; a larger RoI asks for no more

/// `ratio`, or as many as the cell is pixels wide.
GRASPPANDA_HOST_DEVICE inline int points_in_cell(float cell, int ratio) {
  if (ratio > 0) return ratio;
  const float wanted = ceilf(cell);
  if (!(wanted > 0)) return 0;
  return wanted < static_cast<float>(kMostPoints) ? static_cast<int>(wanted) : kMostPoints;
}

GRASPPANDA_HOST_DEVICE inline bool is_number(float value) {
  return value - value == 0;
}

}  // namespace roi

/// `row`: the box without its batch index. `cells`: a side.
GRASPPANDA_HOST_DEVICE inline RoiPlan roi_plan(RoiKind kind, const float* row, float scale,
                                               int cells, int sampling_ratio) {
  RoiPlan plan{};
  plan.kind = kind;
  plan.scale = scale;
  plan.cosine = 1;
  float width = 0, height = 0;
  if (kind == RoiKind::horizontal) {
    plan.start_x = row[0] * scale - 0.5F;
    plan.start_y = row[1] * scale - 0.5F;
    width = (row[2] * scale - 0.5F) - plan.start_x;
    height = (row[3] * scale - 0.5F) - plan.start_y;
  } else {
    const SineCosine turn = sine_cosine(static_cast<double>(row[4]));
    plan.cosine = static_cast<float>(turn.cosine);
    plan.sine = static_cast<float>(turn.sine);
    const bool spanning = kind == RoiKind::spanning;
    plan.centre_x = spanning ? row[0] : row[0] * scale - 0.5F;
    plan.centre_y = spanning ? row[1] : row[1] * scale - 0.5F;
    width = spanning ? row[2] : row[2] * scale;
    height = spanning ? row[3] : row[3] * scale;
    plan.start_x = -width / 2;
    plan.start_y = -height / 2;
  }
  plan.step_x = width / static_cast<float>(cells);
  plan.step_y = height / static_cast<float>(cells);
  if (kind == RoiKind::spanning) {
    plan.step_x = width / 2;  // half the side; points lie between -1 and 1 times it
    plan.step_y = height / 2;
    sampling_ratio = 1;
  }
  const float sum = ((plan.start_x + plan.start_y) + (width + height)) +
                    ((plan.centre_x + plan.centre_y) + (plan.cosine + plan.sine));
  if (!roi::is_number(sum)) return plan;
  plan.nx = roi::points_in_cell(plan.step_x, sampling_ratio);
  plan.ny = roi::points_in_cell(plan.step_y, sampling_ratio);
  return plan;
}

}  // namespace grasppanda::ops
