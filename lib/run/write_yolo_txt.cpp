// predictions/yolo/NAME.txt: a line a detection as Ultralytics writes oriented boxes: class index,
// four corners as shares of the image's width and height, score.
#include "lib/io/atomic_file.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"

namespace grasppanda::run {

void write_yolo_txt(const DetectionResult& result, const std::filesystem::path& file) {
  std::string text;
  for (const DetectionEntry& entry : result.detections) {
    text += std::to_string(entry.class_index);
    for (const geometry::Vec2& corner : geometry::corners(entry.box)) {
      text += ' ' + fixed(corner[0] / static_cast<double>(result.width), 7) + ' ' +
              fixed(corner[1] / static_cast<double>(result.height), 7);
    }
    text += ' ' + fixed(entry.score, 6) + '\n';
  }
  io::write_file_atomically(file, text);
}

}  // namespace grasppanda::run
