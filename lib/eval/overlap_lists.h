// Which objects a detection overlaps, and by how much: computed once for all thresholds.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/eval/detection_map.h"

namespace grasppanda::eval {

struct Overlap {
  std::int32_t truth = 0;  // in ClassBoxes::truth
  double iou = 0;
};

/// Of every detection the objects of its image with an overlap above 0, by their number. Both ways
/// throw Stopped.
class OverlapLists {
 public:
  /// Exact overlaps of the corners. Images of many objects are searched along x only where boxes
  /// can meet.
  OverlapLists(const ClassBoxes& boxes, int threads, const StopAsked& stop);
  /// Those that `overlaps` gives to the boxes of box_of_quad, image by image; corners that have no
  /// such box overlap nothing.
  OverlapLists(const ClassBoxes& boxes, const BoxOverlaps& overlaps, const StopAsked& stop);

  const std::vector<Overlap>& of(std::size_t detection) const { return lists_[detection]; }

 private:
  std::vector<std::vector<Overlap>> lists_;
};

}  // namespace grasppanda::eval
