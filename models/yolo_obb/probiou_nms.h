// Suppression by probiou, as the YOLO-OBB models are published with it. Not greedy: a box that was
// removed still removes others.
#pragma once

#include <cstdint>
#include <vector>

#include "models/yolo_obb/candidates.h"

namespace grasppanda::models::yolo_obb {

/// Similarity of two boxes seen as Gaussians, in 0..1; identical boxes give 0.9995. Single
/// precision throughout, as decisions of the reference are. Never NaN for finite boxes.
/// Source: Llerena et al., "Gaussian Bounding Boxes and Probabilistic Intersection-over-Union".
float probiou(const Candidate& a, const Candidate& b);

struct SuppressionSettings {
  float iou = 0.7F;  // a box is removed when a better one is more similar than this
  bool class_agnostic = false;
  std::int64_t max_detections = 300;
};

/// Indices into `candidates` of those kept, best first; of equal scores the earlier one first. At
/// most the 30000 best are looked at. Cost: the pairs of a class that lie near each other, up to
/// where max_detections are found; no matrix.
std::vector<std::size_t> suppress_by_probiou(const std::vector<Candidate>& candidates,
                                             const SuppressionSettings& settings);

/// Indices in the order of falling scores, the earlier of equals first.
std::vector<std::size_t> by_falling_score(const std::vector<Candidate>& candidates);

}  // namespace grasppanda::models::yolo_obb
