#include "lib/eval/detection_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/eval/errors.h"
#include "lib/eval/overlap_lists.h"
#include "lib/eval/precision_curve.h"

namespace grasppanda::eval {
namespace {

constexpr std::array<std::pair<MapConvention, std::string_view>, 4> kNames = {
    {{MapConvention::dota, "dota"},
     {MapConvention::devkit, "devkit"},
     {MapConvention::oriented_det, "oriented_det"},
     {MapConvention::mmrotate, "mmrotate"}}};

// Sides of the rectangle that a quadrilateral of a fitted box is.
bool is_smaller_than(const geometry::Quad& q, double least) {
  const double w = std::hypot(q[1][0] - q[0][0], q[1][1] - q[0][1]);
  const double h = std::hypot(q[2][0] - q[1][0], q[2][1] - q[1][1]);
  return !(w >= least && h >= least);
}

ClassBoxes without_small(const ClassBoxes& boxes, double least) {
  ClassBoxes kept = boxes;
  // A side of exactly the least length may come out a hair short of it.
  const double limit = least * (1 - 1e-9);
  std::erase_if(kept.truth, [&](const TruthBox& b) { return is_smaller_than(b.corners, limit); });
  std::erase_if(kept.detections,
                [&](const DetectedBox& b) { return is_smaller_than(b.corners, limit); });
  return kept;
}

// Places of the detections, best score first, equal ones in their order.
std::vector<std::size_t> ranked(const ClassBoxes& boxes) {
  std::vector<std::size_t> order(boxes.detections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return boxes.detections[i].score; });
  return order;
}

enum class Verdict { true_positive, false_positive, ignored };

// Judges one detection after the other, best first.
class Matcher {
 public:
  Matcher(const ClassBoxes& boxes, MapConvention convention, double threshold)
      : boxes_(boxes),
        convention_(convention),
        threshold_(threshold),
        matched_(boxes.truth.size(), false) {}

  Verdict judge(const std::vector<Overlap>& overlaps) {
    const Overlap* best = nullptr;
    for (const Overlap& overlap : overlaps) {
      if (convention_ == MapConvention::oriented_det && matched_[overlap.truth]) continue;
      if (best == nullptr || is_better(overlap, *best)) best = &overlap;
    }
    if (best == nullptr || !reaches(best->iou)) return Verdict::false_positive;
    if (boxes_.truth[best->truth].difficult) return Verdict::ignored;
    if (matched_[best->truth]) return Verdict::false_positive;
    matched_[best->truth] = true;
    return Verdict::true_positive;
  }

 private:
  bool is_better(const Overlap& a, const Overlap& b) const {
    if (a.iou != b.iou) return a.iou > b.iou;
    // Equal ones: the first, and there ignored objects stand behind the others.
    return convention_ == MapConvention::mmrotate && !boxes_.truth[a.truth].difficult &&
           boxes_.truth[b.truth].difficult;
  }

  bool reaches(double iou) const {
    const bool strict = convention_ == MapConvention::dota || convention_ == MapConvention::devkit;
    return strict ? iou > threshold_ : iou >= threshold_;
  }

  const ClassBoxes& boxes_;
  MapConvention convention_;
  double threshold_;
  std::vector<bool> matched_;
};

// What a class without anything to find gets.
void settle_without_objects(const ClassBoxes& boxes, MapConvention convention,
                            ClassPrecision& result) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  switch (convention) {
    case MapConvention::dota:
    case MapConvention::mmrotate:
      return;  // no value, and left out of the mean
    case MapConvention::devkit:
      result.ap_voc07 = 0;
      result.ap_area = kNan;
      return;
    case MapConvention::oriented_det:
      // Only difficult objects: 0. None at all: 0 if something was detected, else 1.
      const bool right = boxes.truth.empty() && boxes.detections.empty();
      result.ap_voc07 = result.ap_area = right ? 1 : 0;
  }
}

ClassPrecision precision_of(const ClassBoxes& boxes, const OverlapLists& overlaps,
                            MapConvention convention, double threshold) {
  ClassPrecision result;
  result.name = boxes.name;
  result.gt = std::ranges::count(boxes.truth, false, &TruthBox::difficult);
  result.detections = static_cast<std::int64_t>(boxes.detections.size());
  Matcher matcher(boxes, convention, threshold);
  for (const std::size_t i : ranked(boxes)) {
    const Verdict verdict = matcher.judge(overlaps.of(i));
    if (verdict == Verdict::ignored) continue;
    ++(verdict == Verdict::true_positive ? result.tp : result.fp);
    const auto tp = static_cast<double>(result.tp);
    result.curve.push_back({boxes.detections[i].score,
                            result.gt == 0 ? 0 : tp / static_cast<double>(result.gt),
                            tp / static_cast<double>(result.tp + result.fp)});
  }
  if (result.gt == 0) {
    settle_without_objects(boxes, convention, result);
    return result;
  }
  const RecallSteps steps =
      convention == MapConvention::oriented_det ? RecallSteps::decimal : RecallSteps::multiples;
  result.ap_voc07 = eleven_point_ap(result.curve, steps);
  result.ap_area = area_ap(result.curve);
  if (convention == MapConvention::mmrotate) {  // which keeps its values in float32
    result.ap_voc07 = static_cast<float>(*result.ap_voc07);
    result.ap_area = static_cast<float>(*result.ap_area);
  }
  return result;
}

std::optional<double> mean_of(const std::vector<ClassPrecision>& classes, MapConvention convention,
                              std::optional<double> ClassPrecision::*ap) {
  double sum = 0;
  std::size_t count = 0;
  for (const ClassPrecision& entry : classes) {
    if (!(entry.*ap)) continue;
    sum += *(entry.*ap);
    ++count;
  }
  if (count > 0) return sum / static_cast<double>(count);
  if (convention == MapConvention::dota) return std::nullopt;
  return 0.0;
}

}  // namespace

std::optional<MapConvention> parse_map_convention(std::string_view name) {
  for (const auto& [convention, known] : kNames) {
    if (known == name) return convention;
  }
  return std::nullopt;
}

std::string_view map_convention_name(MapConvention convention) {
  for (const auto& [known, name] : kNames) {
    if (known == convention) return name;
  }
  return "";
}

std::vector<MapResult> mean_average_precision(std::span<const ClassBoxes> classes,
                                              const MapSettings& settings) {
  std::vector<MapResult> results;
  for (const double threshold : settings.thresholds) {
    if (!(threshold > 0 && threshold <= 1)) {
      throw EvaluationError("an overlap threshold of " + std::to_string(threshold) +
                            "; wanted more than 0 and at most 1");
    }
    results.push_back({.iou = threshold, .map_voc07 = {}, .map_area = {}, .classes = {}});
  }
  for (const ClassBoxes& given : classes) {
    const bool drops_small = settings.convention == MapConvention::oriented_det;
    const ClassBoxes kept =
        drops_small ? without_small(given, settings.min_box_size) : ClassBoxes{};
    const ClassBoxes& boxes = drops_small ? kept : given;
    const OverlapLists overlaps = settings.overlaps
                                      ? OverlapLists(boxes, settings.overlaps, settings.stop)
                                      : OverlapLists(boxes, settings.threads, settings.stop);
    for (MapResult& result : results) {
      stop_if(settings.stop);
      result.classes.push_back(precision_of(boxes, overlaps, settings.convention, result.iou));
    }
  }
  for (MapResult& result : results) {
    result.map_voc07 = mean_of(result.classes, settings.convention, &ClassPrecision::ap_voc07);
    result.map_area = mean_of(result.classes, settings.convention, &ClassPrecision::ap_area);
  }
  return results;
}

}  // namespace grasppanda::eval
