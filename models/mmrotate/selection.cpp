#include "models/mmrotate/selection.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/ops/rotated/rotated_nms.h"
#include "models/backbones/prior_rows.h"

namespace grasppanda::models::mmrotate {

namespace {

/// A logit below this has a score clearly below the threshold: most priors need no sigmoid.
float clearly_below(float threshold) {
  return threshold > 0 && threshold < 1 ? std::log(threshold / (1.0F - threshold)) - 1e-3F
                                        : -std::numeric_limits<float>::infinity();
}

struct Pair {
  float score;
  std::int64_t place;  // prior * classes + class
};

/// 1.x: the limit counts pairs above the threshold, by their class score.
std::vector<Pair> best_pairs(const DenseLevel& level, float threshold) {
  const std::int64_t classes = level.logits.size(1);
  const float least = clearly_below(threshold);
  const auto* logits = level.logits.const_data_ptr<float>();
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < level.logits.size(0) * classes; ++i) {
    if (!(logits[i] >= least)) continue;
    const float score = sigmoid(logits[i]);
    if (score > threshold) pairs.push_back({score, i});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.score > b.score; });
  if (pairs.size() > static_cast<std::size_t>(kMostPerLevel)) pairs.resize(kMostPerLevel);
  return pairs;
}

}  // namespace

std::vector<std::int64_t> best_priors(const DenseLevel& level) {
  const std::int64_t count = level.logits.size(0), classes = level.logits.size(1);
  const auto* logits = level.logits.const_data_ptr<float>();
  const auto* factors =
      level.factor_logits.defined() ? level.factor_logits.const_data_ptr<float>() : nullptr;
  std::vector<float> best(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const float* row = logits + i * classes;
    const float most = *std::max_element(row, row + classes);
    // Without a factor the logits order priors as their scores do.
    best[static_cast<std::size_t>(i)] =
        factors == nullptr ? most : sigmoid(most) * sigmoid(factors[i]);
  }
  return best_places(best, kMostPerLevel);
}

void add_candidates(const DenseLevel& level, Line line, float threshold,
                    std::vector<Candidate>& candidates) {
  const std::int64_t classes = level.logits.size(1);
  const auto* logits = level.logits.const_data_ptr<float>();
  const auto factor = [&](std::int64_t prior) {
    return level.factor_logits.defined()
               ? sigmoid(level.factor_logits.const_data_ptr<float>()[prior])
               : 1.0F;
  };
  if (line == Line::v1) {
    for (const Pair& pair : best_pairs(level, threshold)) {
      const std::int64_t prior = pair.place / classes;
      const Box box = level.decode(prior);
      if (!(box.w > 0 && box.h > 0)) continue;  // min_bbox_size 0
      candidates.push_back(
          {box, pair.score * factor(prior), static_cast<std::int32_t>(pair.place % classes)});
    }
    return;
  }
  const float least = clearly_below(threshold);
  for (const std::int64_t prior : best_priors(level)) {
    const float* row = logits + prior * classes;
    if (std::none_of(row, row + classes, [least](float logit) { return logit >= least; })) continue;
    const Box box = level.decode(prior);
    for (std::int64_t c = 0; c < classes; ++c) {
      const float score = sigmoid(row[c]);
      if (score > threshold) {
        candidates.push_back({box, score * factor(prior), static_cast<std::int32_t>(c)});
      }
    }
  }
}

Box in_picture(const Box& box, const Resizing& size, Line line) {
  const float sx = size.scale_x(), sy = size.scale_y();
  if (line == Line::v0) return {box.cx / sx, box.cy / sy, box.w / sx, box.h / sy, box.angle};
  const float u = 1 / sx, v = 1 / sy;
  const float c = std::cos(box.angle), s = std::sin(box.angle);
  const auto length = [](float x, float y) { return std::sqrt(x * x + y * y); };
  return {box.cx * u, box.cy * v, box.w * length(u * c, v * s), box.h * length(u * s, v * c),
          std::atan2(u * s, v * c)};
}

std::vector<Candidate> suppress(const std::vector<Candidate>& candidates,
                                const DetectSettings& settings) {
  const auto count = static_cast<std::int64_t>(candidates.size());
  at::Tensor boxes = at::empty({count, 5}, at::kFloat), scores = at::empty({count}, at::kFloat);
  at::Tensor labels = at::empty({count}, at::kLong);
  auto* box = boxes.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    for (const float value : {c.box.cx, c.box.cy, c.box.w, c.box.h, c.box.angle}) *box++ = value;
    scores.mutable_data_ptr<float>()[i] = c.score;
    labels.mutable_data_ptr<std::int64_t>()[i] = c.label;
  }
  ops::RotatedNmsOptions options;
  options.iou_threshold = settings.nms_iou;
  options.method = settings.nms_method == SuppressionMethod::sampled ? ops::IouMethod::sampled
                                                                     : ops::IouMethod::exact;
  options.max_detections = settings.max_detections.value_or(kMostDetections);
  options.at_equality = true;  // as the project's CPU operator
  options.degenerate = ops::DegenerateBoxes::keep;
  const at::Tensor kept =
      ops::rotated_nms(boxes, scores, options, settings.class_agnostic ? at::Tensor() : labels);
  std::vector<Candidate> result;
  for (std::int64_t i = 0; i < kept.size(0); ++i) {
    result.push_back(candidates[static_cast<std::size_t>(kept.const_data_ptr<std::int64_t>()[i])]);
  }
  return result;
}

}  // namespace grasppanda::models::mmrotate
