// predictions/NAME.geojson: one polygon a detection, in pixels or, for a GeoTIFF, in the world.
#include <nlohmann/json.hpp>

#include "lib/io/atomic_file.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

/// A closed ring, counter-clockwise in the plane of its numbers, as RFC 7946 wants it.
ordered_json ring_of(const geometry::RotatedBox& box, const io::GeoReference* geo) {
  geometry::Quad quad = geometry::corners(box);
  if (geo != nullptr) {
    for (geometry::Vec2& corner : quad) corner = geo->world(corner[0], corner[1]);
  }
  if (geometry::signed_area(quad) < 0) std::swap(quad[1], quad[3]);
  ordered_json ring = ordered_json::array();
  for (std::size_t i = 0; i <= 4; ++i) ring.push_back(quad[i % 4]);
  return ring;
}

ordered_json coordinates_of(const io::GeoReference* geo) {
  if (geo == nullptr) {
    return "pixels of the upright image: x right, y down, (0, 0) the upper left corner of the "
           "first pixel";
  }
  if (!geo->epsg) return "world, by the image's own GeoTIFF transform; its system has no EPSG code";
  return "world, by the image's own GeoTIFF transform, EPSG:" + std::to_string(*geo->epsg);
}

}  // namespace

void write_geojson(const DetectionResult& result, const std::filesystem::path& file) {
  ordered_json head = {{"type", "FeatureCollection"},
                       {"name", result.name},
                       {"coordinates", coordinates_of(result.geo)}};
  if (result.geo != nullptr && result.geo->epsg) {
    head["crs"] = {
        {"type", "name"},
        {"properties", {{"name", "urn:ogc:def:crs:EPSG::" + std::to_string(*result.geo->epsg)}}}};
  }
  std::string text = head.dump(1, ' ', false, ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the line end and brace
  text += ",\n \"features\": [";
  for (std::size_t i = 0; i < result.detections.size(); ++i) {
    const DetectionEntry& entry = result.detections[i];
    const ordered_json feature = {
        {"type", "Feature"},
        {"geometry",
         {{"type", "Polygon"},
          {"coordinates", ordered_json::array({ring_of(entry.box, result.geo)})}}},
        {"properties",
         {{"class", result.class_of(entry)},
          {"class_index", entry.class_index},
          {"score", shortest(entry.score)},
          {"cx_px", shortest(static_cast<float>(entry.box.cx))},
          {"cy_px", shortest(static_cast<float>(entry.box.cy))},
          {"w_px", shortest(static_cast<float>(entry.box.w))},
          {"h_px", shortest(static_cast<float>(entry.box.h))},
          {"angle_rad", shortest(static_cast<float>(entry.box.angle))}}}};
    text += (i == 0 ? "\n  " : ",\n  ") +
            feature.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  text += result.detections.empty() ? "]\n}\n" : "\n ]\n}\n";
  io::write_file_atomically(file, text);
}

}  // namespace grasppanda::run
