// The two forms of average precision of one ranked list.
#pragma once

#include <cstdint>
#include <span>

#include "lib/eval/detection_map.h"

namespace grasppanda::eval {

/// Whether the steps 0.1, 0.2, ... are the decimal numbers, or multiples of 0.1 in double
/// (3 * 0.1 > 0.3), which counts where a recall is a tenth exactly.
enum class RecallSteps : std::uint8_t { decimal, multiples };

/// Mean over the recalls 0, 0.1, ..., 1 of the best precision at that recall or beyond.
double eleven_point_ap(std::span<const CurvePoint> curve, RecallSteps steps);
/// Area under the precision made monotone.
double area_ap(std::span<const CurvePoint> curve);

}  // namespace grasppanda::eval
