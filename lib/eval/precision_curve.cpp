#include "lib/eval/precision_curve.h"

#include <algorithm>
#include <array>
#include <vector>

namespace grasppanda::eval {

double eleven_point_ap(std::span<const CurvePoint> curve, RecallSteps steps) {
  constexpr std::array<double, 11> decimal = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  // The best precision from each point on.
  std::vector<double> best(curve.size() + 1, 0);
  for (std::size_t i = curve.size(); i-- > 0;) best[i] = std::max(best[i + 1], curve[i].precision);
  double sum = 0;
  for (std::size_t step = 0; step < decimal.size(); ++step) {
    const double recall =
        steps == RecallSteps::decimal ? decimal[step] : static_cast<double>(step) * 0.1;
    const auto at = std::ranges::lower_bound(curve, recall, {}, &CurvePoint::recall);
    sum += best[static_cast<std::size_t>(at - curve.begin())] / 11;
  }
  return sum;
}

double area_ap(std::span<const CurvePoint> curve) {
  double area = 0, best = 0, next_recall = 1;
  // From the right: recall 1 with precision 0, then the points, then recall 0.
  for (std::size_t i = curve.size(); i-- > 0;) {
    area += (next_recall - curve[i].recall) * best;
    best = std::max(best, curve[i].precision);
    next_recall = curve[i].recall;
  }
  return area + next_recall * best;
}

}  // namespace grasppanda::eval
