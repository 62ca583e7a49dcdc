#include <array>

#include "lib/run/detection_writer.h"
#include "lib/run/writer.h"

namespace grasppanda::run {

namespace {

constexpr std::array<WriterEntry, 6> kWriters = {{
    {"npy", "predictions", ".npy", write_npy, nullptr},
    {"json", "predictions", ".json", write_json, write_detections_json},
    {"ply", "ply", ".ply", write_ply, nullptr},
    {"png", "pictures", ".png", write_png, write_detections_png},
    {"geojson", "predictions", ".geojson", nullptr, write_geojson},
    {"yolo", "predictions/yolo", ".txt", nullptr, write_yolo_txt},
}};

constexpr std::array<DetectionSetEntry, 2> kSets = {{
    {"dota", write_dota_txt},
    {"coco", write_coco},
}};

}  // namespace

std::span<const WriterEntry> writer_list() {
  return kWriters;
}

const WriterEntry* find_writer(std::string_view format) {
  for (const WriterEntry& writer : kWriters) {
    if (writer.format == format) return &writer;
  }
  return nullptr;
}

std::span<const DetectionSetEntry> detection_set_list() {
  return kSets;
}

const DetectionSetEntry* find_detection_set(std::string_view format) {
  for (const DetectionSetEntry& set : kSets) {
    if (set.format == format) return &set;
  }
  return nullptr;
}

std::filesystem::path WriterEntry::file(std::string_view name) const {
  // Not replace_extension: "scene.v2.final" has none.
  return std::filesystem::path(folder) / (std::string(name) + std::string(suffix));
}

}  // namespace grasppanda::run
