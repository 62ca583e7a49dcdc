// pictures/NAME.png of a detector.
#include "lib/io/png.h"
#include "lib/render/detection_picture.h"
#include "lib/run/detection_writer.h"

namespace grasppanda::run {

void write_detections_png(const DetectionResult& result, const std::filesystem::path& file) {
  std::vector<render::DrawnBox> boxes;
  for (const DetectionEntry& entry : result.detections) {
    boxes.push_back({entry.box, entry.score, entry.class_index});
  }
  io::write_png(file, render::draw_detections({.picture = result.picture,
                                               .width = result.width,
                                               .height = result.height,
                                               .reduced = result.reduced,
                                               .boxes = boxes,
                                               .classes = result.classes,
                                               .name = result.name}));
}

}  // namespace grasppanda::run
