// Average precision of oriented detections, by the rules of whoever the figures are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/eval/stop.h"
#include "lib/geometry/quad_overlap.h"

namespace grasppanda::eval {

/// dota:          best overlap of all objects, strictly above the threshold; classes without
///                counted objects are left out of the mean
/// devkit:        the same matching; a fixed list of classes, all of them in the mean
/// oriented_det:  best overlap of the objects that are not matched yet, at or above the threshold;
///                boxes fitted to the corners; every class that occurs is in the mean
/// mmrotate:      best overlap of all objects, ignored ones after the others, at or above the
///                threshold; boxes fitted to the corners
enum class MapConvention : std::uint8_t { dota, devkit, oriented_det, mmrotate };
std::optional<MapConvention> parse_map_convention(std::string_view name);
std::string_view map_convention_name(MapConvention convention);

struct TruthBox {
  geometry::Quad corners{};
  std::int64_t image = 0;
  bool difficult = false;  // neither missed nor found
};
struct DetectedBox {
  geometry::Quad corners{};
  std::int64_t image = 0;
  double score = 0;
};

/// One class over all images. The order of detections decides between equal scores, the order of
/// objects between equal overlaps.
struct ClassBoxes {
  std::string name;
  std::vector<TruthBox> truth;
  std::vector<DetectedBox> detections;
};

struct CurvePoint {
  double score = 0, recall = 0, precision = 0;
};

struct ClassPrecision {
  std::string name;
  std::optional<double> ap_voc07, ap_area;  // nothing: no counted object
  std::int64_t gt = 0;                      // objects that are not difficult
  std::int64_t detections = 0;
  std::int64_t tp = 0, fp = 0;
  std::vector<CurvePoint> curve;  // one a detection that counts, best score first
};

struct MapResult {
  double iou = 0.5;
  std::optional<double> map_voc07, map_area;
  std::vector<ClassPrecision> classes;
};

/// Overlaps of the boxes of one class in one image, row by row: a row per detection, a column per
/// object.
using BoxOverlaps =
    std::function<std::vector<float>(std::span<const geometry::RotatedBox> detections,
                                     std::span<const geometry::RotatedBox> objects)>;

struct MapSettings {
  MapConvention convention = MapConvention::dota;
  std::vector<double> thresholds = {0.5};
  double min_box_size = 1;  // oriented_det: boxes with a shorter side are dropped
  int threads = 1;
  /// Where it is set it takes the place of the exact overlaps, with boxes fitted to the corners.
  /// Called from one thread, with at most kOverlapRows detections.
  BoxOverlaps overlaps{};
  StopAsked stop{};  // asked between classes, images and some hundred detections
};
inline constexpr std::size_t kOverlapRows = 5000;

/// One result a threshold. Non-finite corners overlap nothing. Truth for detections gives 1. Throws
/// EvaluationError for a threshold outside of (0, 1], Stopped.
std::vector<MapResult> mean_average_precision(std::span<const ClassBoxes> classes,
                                              const MapSettings& settings);

}  // namespace grasppanda::eval
