#include "lib/eval/dota_boxes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "lib/geometry/float32_rounding.h"

namespace grasppanda::eval {
namespace {

using geometry::Quad;

constexpr double kLeastSide = 2;  // pixels, of labels as MMRotate loads them

std::optional<Quad> box_of_quad(const Quad& quad) {
  try {
    return geometry::corners(geometry::box_of_quad(quad));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<Quad> least_rectangle(Quad quad) {
  for (geometry::Vec2& corner : quad) {
    for (double& value : corner) value = geometry::round_to_float32(value);
  }
  try {
    const geometry::RotatedBox box =
        geometry::least_rectangle(quad, geometry::AngleConvention::le90);
    if (box.w < kLeastSide || box.h < kLeastSide) return std::nullopt;
    return geometry::corners(box);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<Quad> truth_quad(const Quad& quad, MapConvention convention) {
  if (convention == MapConvention::oriented_det) return box_of_quad(quad);
  if (convention == MapConvention::mmrotate) return least_rectangle(quad);
  return quad;
}

std::optional<Quad> detected_quad(const Quad& quad, MapConvention convention) {
  return convention == MapConvention::oriented_det ? box_of_quad(quad) : quad;
}

std::string matched_name(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::vector<std::string> names_of(const datasets::DotaTruth& truth,
                                  std::span<const datasets::ClassDetections> detections,
                                  std::span<const std::string> listed) {
  if (!listed.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : listed) names.push_back(matched_name(name));
    return names;
  }
  std::set<std::string> names;
  for (const auto& objects : truth.objects) {
    for (const datasets::DotaObject& object : objects) {
      names.insert(matched_name(object.class_name));
    }
  }
  for (const datasets::ClassDetections& entry : detections) {
    names.insert(matched_name(entry.class_name));
  }
  return {names.begin(), names.end()};
}

void take_truth(const datasets::DotaTruth& truth, MapConvention convention,
                const std::map<std::string, std::size_t>& place, DotaBoxes& boxes) {
  for (std::size_t image = 0; image < truth.objects.size(); ++image) {
    for (const datasets::DotaObject& object : truth.objects[image]) {
      const auto found = place.find(matched_name(object.class_name));
      if (found == place.end()) {
        ++boxes.boxes_of_unlisted_classes;
        continue;
      }
      const auto kind = geometry::PreparedQuad(object.corners).kind();
      if (kind == geometry::PreparedQuad::Kind::crossing) ++boxes.crossing_objects;
      if (kind == geometry::PreparedQuad::Kind::no_area) ++boxes.objects_without_area;
      const std::optional<Quad> quad = truth_quad(object.corners, convention);
      if (!quad) continue;
      const bool difficult = object.difficult > 0 && convention != MapConvention::mmrotate;
      boxes.classes[found->second].truth.push_back(
          {*quad, static_cast<std::int64_t>(image), difficult});
    }
  }
}

}  // namespace

DotaBoxes dota_boxes(const datasets::DotaTruth& truth,
                     std::span<const datasets::ClassDetections> detections,
                     MapConvention convention, std::span<const std::string> listed) {
  DotaBoxes boxes;
  std::map<std::string, std::size_t> place;
  for (const std::string& name : names_of(truth, detections, listed)) {
    place.emplace(name, boxes.classes.size());
    boxes.classes.push_back({name, {}, {}});
  }
  take_truth(truth, convention, place, boxes);
  for (const datasets::ClassDetections& entry : detections) {
    const auto found = place.find(matched_name(entry.class_name));
    if (found == place.end()) {
      boxes.boxes_of_unlisted_classes += static_cast<std::int64_t>(entry.rows.size());
      continue;
    }
    for (const datasets::DotaDetection& row : entry.rows) {
      const auto image = truth.index.find(row.image);
      if (image == truth.index.end()) {
        if (boxes.rows_of_unknown_images++ == 0) boxes.unknown_image = row.image;
        continue;
      }
      if (const std::optional<Quad> quad = detected_quad(row.corners, convention)) {
        boxes.classes[found->second].detections.push_back({*quad, image->second, row.score});
      }
    }
  }
  return boxes;
}

}  // namespace grasppanda::eval
