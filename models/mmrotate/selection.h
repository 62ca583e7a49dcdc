// From scores and boxes to detections: MMRotate's limits, thresholds and suppression.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "models/detector_settings.h"
#include "models/mmrotate/box_coders.h"
#include "models/mmrotate/preprocess.h"

namespace grasppanda::models::mmrotate {

struct Candidate {
  Box box;
  float score;
  std::int32_t label;
};

/// The most priors (0.x) or pairs of prior and class (1.x) that a level may offer, and the most
/// detections of a picture.
inline constexpr std::int64_t kMostPerLevel = 2000;
inline constexpr std::int64_t kMostDetections = 2000;

/// One level of a dense head.
struct DenseLevel {
  at::Tensor logits;         // (N, K) float32, contiguous, on the CPU
  at::Tensor factor_logits;  // (N,): the sigmoid multiplies the scores; undefined: nothing does
  std::function<Box(std::int64_t)> decode;
};

/// Priors that go on, line 0.x: all, or those with the best score of any class times the factor,
/// best first. The limit comes before the threshold and counts priors, all classes of which stay.
std::vector<std::int64_t> best_priors(const DenseLevel& level);

/// Candidates with a class score above the threshold; the factor multiplies afterwards, so that
/// scores may end far below it. Boxes in pixels of the resized picture.
void add_candidates(const DenseLevel& level, Line line, float threshold,
                    std::vector<Candidate>& candidates);

/// Of the picture itself. 0.x divides w and h by the two factors and leaves the angle; 1.x takes
/// the direction of the sides into account.
Box in_picture(const Box& box, const Resizing& size, Line line);

/// Suppression within the classes; best first.
std::vector<Candidate> suppress(const std::vector<Candidate>& candidates,
                                const DetectSettings& settings);

}  // namespace grasppanda::models::mmrotate
