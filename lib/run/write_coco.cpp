// predictions/coco.json: images, categories and annotations as tools of COCO read them; the turned
// box stands in `segmentation` and in `rotated_box`, the upright one around it in `bbox`.
#include <nlohmann/json.hpp>

#include "lib/io/atomic_file.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"
#include "lib/run/run_directory.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json annotation(const DetectionEntry& entry, std::int64_t id, std::size_t image) {
  const geometry::RotatedBox& box = entry.box;
  const geometry::Quad quad = geometry::corners(box);
  const auto [x1, y1, x2, y2] = geometry::bounds(quad);
  const auto number = [](double value) { return shortest(static_cast<float>(value)); };
  return {{"id", id},
          {"image_id", image + 1},
          {"category_id", entry.class_index + 1},
          {"score", shortest(entry.score)},
          {"bbox", {number(x1), number(y1), number(x2 - x1), number(y2 - y1)}},
          {"segmentation", ordered_json::array({corner_numbers(box)})},
          {"rotated_box",
           {number(box.cx), number(box.cy), number(box.w), number(box.h), number(box.angle)}},
          {"area", number(box.w * box.h)},
          {"iscrowd", 0}};
}

}  // namespace

std::vector<std::filesystem::path> write_coco(const std::filesystem::path& run,
                                              std::span<const std::filesystem::path> predictions,
                                              std::span<const std::string> classes) {
  const std::filesystem::path relative = "predictions/coco.json";
  make_folders((run / relative).parent_path());
  io::AtomicFile file(run / relative);
  file.write(std::string_view(
      "{\n \"info\": {\"description\": \"detections; rotated_box is cx, cy, w, h in pixels and "
      "the angle in radians, le90; category and image ids count from 1\"},\n \"categories\": ["));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    file.write(std::string(i == 0 ? "" : ", ") + dump({{"id", i + 1}, {"name", classes[i]}}));
  }
  file.write(std::string_view("],\n \"images\": ["));
  // Twice over the files: annotations of a large run need not fit into memory.
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const StoredDetections stored = read_detections(run / predictions[i]);
    file.write((i == 0 ? "\n  " : ",\n  ") + dump({{"id", i + 1},
                                                   {"file_name", stored.name},
                                                   {"width", stored.width},
                                                   {"height", stored.height}}));
  }
  file.write(std::string_view("\n ],\n \"annotations\": ["));
  std::int64_t id = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    for (const DetectionEntry& entry : read_detections(run / predictions[i]).detections) {
      ++id;
      file.write((id == 1 ? "\n  " : ",\n  ") + dump(annotation(entry, id, i)));
    }
  }
  file.write(std::string_view("\n ]\n}\n"));
  file.commit();
  return {relative};
}

}  // namespace grasppanda::run
