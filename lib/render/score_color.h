// Colour of a score: one map for pictures, meshes and legends.
#pragma once

#include <span>

#include "lib/geometry/grasp.h"
#include "lib/render/canvas.h"

namespace grasppanda::render {

/// From indigo (0) over magenta and orange to yellow (1). Lightness grows evenly in the OKLab
/// space (Ottosson, 2020), so the order of scores survives grey print and colour blindness, and the
/// best are the brightest. Values outside of 0..1 are clamped, NaN is 0.
Color score_color(double t);

/// The finite scores' range, mapped to 0..1 for score_color.
struct ScoreRange {
  double low = 0, high = 0;
  /// 1 when all scores are equal: a single grasp is the best one.
  double place(double score) const { return high > low ? (score - low) / (high - low) : 1.0; }
};
ScoreRange score_range(std::span<const geometry::Grasp> grasps);

}  // namespace grasppanda::render
