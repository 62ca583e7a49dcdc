#include "models/oriented_det/selection.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/ops/rotated/rotated_nms.h"

namespace grasppanda::models::oriented_det {

namespace {

bool is_box(const Candidate& c) {
  const Box& b = c.box;
  return b.w > 0 && b.h > 0 && std::isfinite(b.cx + b.cy + b.w + b.h + b.angle);
}

/// A pool in order of its scores, suppressed.
std::vector<Candidate> suppressed(const std::vector<Candidate>& pool,
                                  const DetectSettings& settings, std::int64_t most) {
  const auto count = static_cast<std::int64_t>(pool.size());
  at::Tensor boxes = at::empty({count, 5}, at::kFloat), scores = at::empty({count}, at::kFloat);
  auto* box = boxes.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const Box& b = pool[i].box;
    for (const float value : {b.cx, b.cy, b.w, b.h, b.angle}) *box++ = value;
    scores.mutable_data_ptr<float>()[i] = pool[i].score;
  }
  ops::RotatedNmsOptions options;
  options.iou_threshold = settings.nms_iou;
  options.method = settings.nms_method == SuppressionMethod::sampled ? ops::IouMethod::sampled
                                                                     : ops::IouMethod::exact;
  options.max_detections = most;
  const at::Tensor kept = ops::rotated_nms(boxes, scores, options);
  std::vector<Candidate> result;
  for (std::int64_t i = 0; i < kept.size(0); ++i) {
    result.push_back(pool[static_cast<std::size_t>(kept.const_data_ptr<std::int64_t>()[i])]);
  }
  return result;
}

void best_first(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

void cut(std::vector<Candidate>& candidates, std::int64_t most) {
  if (static_cast<std::int64_t>(candidates.size()) > most) {
    candidates.resize(static_cast<std::size_t>(most));
  }
}

}  // namespace

std::vector<Candidate> suppress(const std::vector<Candidate>& candidates,
                                const DetectSettings& settings, const SuppressionLimits& limits) {
  // Pools of their own instead of labels: the sampled method chooses its grid by the pool.
  std::map<std::int32_t, std::vector<Candidate>> pools;
  for (const Candidate& c : candidates) {
    if (is_box(c)) pools[settings.class_agnostic ? 0 : c.label].push_back(c);
  }
  std::vector<Candidate> kept;
  for (auto& [label, pool] : pools) {
    best_first(pool);
    if (limits.most_before > 0) cut(pool, limits.most_before);
    const std::vector<Candidate> stays = suppressed(pool, settings, limits.most);
    kept.insert(kept.end(), stays.begin(), stays.end());
  }
  best_first(kept);
  cut(kept, limits.most);
  return kept;
}

}  // namespace grasppanda::models::oriented_det
