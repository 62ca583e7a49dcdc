// The detections of one image as the writers see them, and the formats that hold a whole run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/geometry/rotated_box.h"
#include "lib/io/geotiff.h"
#include "lib/io/image.h"

namespace grasppanda::run {

/// le90; every number a float32 value.
struct DetectionEntry {
  geometry::RotatedBox box;
  float score = 0;
  std::int64_t class_index = 0;
};

/// The box with float32 numbers that still is le90: rounding can step over half a turn.
geometry::RotatedBox as_written(const geometry::RotatedBox& le90);

/// One image and its detections. Spans and pointers outlive the call of a writer.
struct DetectionResult {
  std::string name{};
  std::int64_t width = 0, height = 0;            // of the upright image
  std::span<const DetectionEntry> detections{};  // best first
  std::span<const std::string> classes{};        // names by index
  const io::GeoReference* geo = nullptr;         // of a GeoTIFF
  const io::Image* picture = nullptr;            // 8-bit RGB, reduced by `reduced`; null: none
  double reduced = 1;                            // pixels of the image to one of the picture

  const std::string& class_of(const DetectionEntry& entry) const {
    return classes[static_cast<std::size_t>(entry.class_index)];
  }
};

/// A format with one set of files for all images of a run, made from predictions/NAME.json.
struct DetectionSetEntry {
  std::string_view format;  // as in output.formats
  /// `predictions`: the JSON files, relative to `run`, in the order of the inputs. Returns what was
  /// written, relative to `run`. Throws io::FormatError.
  std::vector<std::filesystem::path> (*write)(const std::filesystem::path& run,
                                              std::span<const std::filesystem::path> predictions,
                                              std::span<const std::string> classes);
};
std::span<const DetectionSetEntry> detection_set_list();
const DetectionSetEntry* find_detection_set(std::string_view format);

/// One function per format, for writer_list.cpp.
void write_detections_json(const DetectionResult& result, const std::filesystem::path& file);
void write_detections_png(const DetectionResult& result, const std::filesystem::path& file);
void write_geojson(const DetectionResult& result, const std::filesystem::path& file);
void write_yolo_txt(const DetectionResult& result, const std::filesystem::path& file);
std::vector<std::filesystem::path> write_dota_txt(
    const std::filesystem::path& run, std::span<const std::filesystem::path> predictions,
    std::span<const std::string> classes);
std::vector<std::filesystem::path> write_coco(const std::filesystem::path& run,
                                              std::span<const std::filesystem::path> predictions,
                                              std::span<const std::string> classes);

}  // namespace grasppanda::run
