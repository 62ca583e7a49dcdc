// predictions/NAME.json of a detector: boxes with names, units and corners, readable by itself.
#include <nlohmann/json.hpp>

#include "lib/io/atomic_file.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

ordered_json fields() {
  return {{"class", "name of the class; its number where the checkpoint names none"},
          {"class_index", "from 0, in the order of 'classes'"},
          {"score", "0 to 1, best first"},
          {"cx, cy",
           "centre, pixels of the upright image: x right, y down, (0, 0) the upper left "
           "corner of the first pixel"},
          {"w, h", "sides, pixels; w is the longer one and lies along the angle"},
          {"angle_rad", "radians in [-pi/2, pi/2), from +x towards +y: clockwise on the screen"},
          {"corners",
           "x1 y1 x2 y2 x3 y3 x4 y4, pixels: (-w/2, -h/2), (w/2, -h/2), (w/2, h/2), "
           "(-w/2, h/2) of the box, turned and shifted"}};
}

std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

void write_detections_json(const DetectionResult& result, const std::filesystem::path& file) {
  std::string text =
      "{\n \"schema\": \"grasppanda.detections/1\",\n \"name\": " + dump(result.name) +
      ",\n \"image\": " + dump({{"width", result.width}, {"height", result.height}}) +
      ",\n \"angle_convention\": \"le90\",\n \"units\": " +
      dump({{"length", "pixel"}, {"angle", "radian"}}) +
      ",\n \"fields\": " + fields().dump(1, ' ') +
      ",\n \"classes\": " + dump(ordered_json(result.classes)) + ",\n \"detections\": [";
  for (std::size_t i = 0; i < result.detections.size(); ++i) {
    const DetectionEntry& entry = result.detections[i];
    const auto number = [](double value) { return shortest(static_cast<float>(value)); };
    text += (i == 0 ? "\n  " : ",\n  ") + dump({{"class", result.class_of(entry)},
                                                {"class_index", entry.class_index},
                                                {"score", shortest(entry.score)},
                                                {"cx", number(entry.box.cx)},
                                                {"cy", number(entry.box.cy)},
                                                {"w", number(entry.box.w)},
                                                {"h", number(entry.box.h)},
                                                {"angle_rad", number(entry.box.angle)},
                                                {"corners", corner_numbers(entry.box)}});
  }
  text += result.detections.empty() ? "]\n}\n" : "\n ]\n}\n";
  io::write_file_atomically(file, text);
}

}  // namespace grasppanda::run
