// Labels and result rows as the boxes that a convention compares.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/datasets/dota_truth.h"
#include "lib/eval/detection_map.h"

namespace grasppanda::eval {

struct DotaBoxes {
  std::vector<ClassBoxes> classes;
  // What was left out, or read otherwise than it stands there.
  std::int64_t rows_of_unknown_images = 0;
  std::string unknown_image;  // of the first such row
  std::int64_t boxes_of_unlisted_classes = 0;
  std::int64_t crossing_objects = 0;  // truth whose sides cross
  std::int64_t objects_without_area = 0;
};

/// `listed`: the classes in order; empty: every class that occurs, sorted. Names are matched with
/// hyphens for blanks: checkpoints say "large vehicle", DOTA "large-vehicle".
///   dota, devkit   corners as they are
///   oriented_det   boxes fitted by box_of_quad; what has no area is dropped
///   mmrotate       truth fitted by the rectangle of least area, objects with a side below 2 pixels
///                  dropped, difficult ones counted as ordinary
DotaBoxes dota_boxes(const datasets::DotaTruth& truth,
                     std::span<const datasets::ClassDetections> detections,
                     MapConvention convention, std::span<const std::string> listed);

}  // namespace grasppanda::eval
