#include "models/graspnet_baseline/decode.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lib/ops/grasp/grasp_views.h"
#include "models/graspnet_baseline/architecture.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

constexpr float kWidthFactor = 1.2F;
constexpr float kWidest = 0.1F;
constexpr float kMostTolerance = 0.05F;
constexpr float kHeight = 0.02F;
constexpr float kDepthStep = 0.01F;
constexpr float kNoObject = -1.0F;

template <class Value>
std::int64_t first_largest(std::int64_t count, const Value& value) {
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < count && !std::isnan(value(best)); ++i)
    if (value(i) > value(best) || std::isnan(value(i))) best = i;
  return best;
}

float opening(float raw) {
  const float width = kWidthFactor * raw;
  return std::isnan(width) ? width : std::clamp(width, 0.0F, kWidest);
}

at::Tensor on_cpu(const at::Tensor& value) {
  return value.to(at::kCPU, at::kFloat).contiguous();
}

}  // namespace

Decoded decode(const at::Tensor& seeds, const at::Tensor& objectness, const at::Tensor& approach,
               const GraspScores& scores) {
  const std::int64_t count = seeds.size(0);
  const at::Tensor logits = on_cpu(objectness), score_rows = on_cpu(scores.score),
                   angle_rows = on_cpu(scores.angle), width_rows = on_cpu(scores.width),
                   tolerance_rows = on_cpu(scores.tolerance);
  const float *score = score_rows.const_data_ptr<float>(),
              *angle = angle_rows.const_data_ptr<float>(),
              *width = width_rows.const_data_ptr<float>(),
              *tolerance = tolerance_rows.const_data_ptr<float>();
  Decoded decoded;
  decoded.rows = at::empty({count, 17}, at::kFloat);
  decoded.angle_class = at::empty({count, kDepths}, at::kByte);
  decoded.depth_class = at::empty({count}, at::kByte);
  decoded.graspable = logits.select(1, 1) > logits.select(1, 0);
  at::Tensor turn = at::empty({count}, at::kFloat);
  for (std::int64_t seed = 0; seed < count; ++seed) {
    std::uint8_t* classes = decoded.angle_class.mutable_data_ptr<std::uint8_t>() + seed * kDepths;
    const auto cell = [&](std::int64_t depth) {
      return (seed * kDepths + depth) * kAngles + classes[depth];
    };
    for (std::int64_t depth = 0; depth < kDepths; ++depth) {
      const float* of_depth = angle + (seed * kDepths + depth) * kAngles;
      classes[depth] = static_cast<std::uint8_t>(
          first_largest(kAngles, [&](std::int64_t i) { return of_depth[i]; }));
    }
    // The raw score decides; the tolerance enters the result only.
    const std::int64_t depth =
        first_largest(kDepths, [&](std::int64_t i) { return score[cell(i)]; });
    decoded.depth_class.mutable_data_ptr<std::uint8_t>()[seed] = static_cast<std::uint8_t>(depth);
    const std::int64_t best = cell(depth);
    float* row = decoded.rows.mutable_data_ptr<float>() + 17 * seed;
    row[0] = score[best] * tolerance[best] / kMostTolerance;
    row[1] = opening(width[best]);
    row[2] = kHeight;
    row[3] = static_cast<float>(depth + 1) * kDepthStep;
    row[16] = kNoObject;
    turn.mutable_data_ptr<float>()[seed] =
        static_cast<float>(classes[depth]) / 12.0F * static_cast<float>(std::numbers::pi);
  }
  decoded.rows.narrow(1, 4, 9).copy_(
      ops::rotation_from_approach(on_cpu(approach), turn).view({count, 9}));
  decoded.rows.narrow(1, 13, 3).copy_(on_cpu(seeds));
  return decoded;
}

}  // namespace grasppanda::models::graspnet_baseline
