#include "models/gsnet/decode.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "lib/ops/grasp/grasp_views.h"
#include "models/gsnet/architecture.h"

namespace grasppanda::models::gsnet {

namespace {

constexpr std::int64_t kColumns = 17;
constexpr float kDepthStep = 0.01F;  // metres
constexpr float kWidthMargin = 1.2F, kWidthUnit = 10.0F;

at::Tensor on_cpu(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.to(at::kCPU, type).contiguous();
}

}  // namespace

ViewRotations::ViewRotations()
    : views(ops::template_views(kViews)),
      table(ops::approach_rotations(views.neg(), ops::in_plane_angles(kAngles)).contiguous()) {}

at::Tensor ViewRotations::upright(const at::Tensor& view) const {
  return table.select(1, 0).index_select(0, view.to(at::kCPU)).to(view.device());
}

at::Tensor decode(const at::Tensor& xyz, const at::Tensor& view, const Proposals& proposals,
                  const ViewRotations& rotations) {
  const std::int64_t seeds = xyz.size(0);
  const at::Tensor centre = on_cpu(xyz, at::kFloat), chosen = on_cpu(view, at::kLong);
  const at::Tensor score = on_cpu(proposals.score, at::kFloat).view({seeds, -1});
  const at::Tensor width = on_cpu(proposals.width, at::kFloat).view({seeds, -1});
  const at::Tensor best = score.argmax(1);
  at::Tensor rows = at::empty({seeds, kColumns}, at::kFloat);
  float* row = rows.data_ptr<float>();
  for (std::int64_t i = 0; i < seeds; ++i, row += kColumns) {
    const std::int64_t place = best.const_data_ptr<std::int64_t>()[i];
    const std::int64_t angle = place / kDepths, depth = place % kDepths;
    const std::int64_t v = chosen.const_data_ptr<std::int64_t>()[i];
    const std::int64_t at = i * kAngles * kDepths + place;
    row[0] = score.const_data_ptr<float>()[at];
    const float opening = kWidthMargin * width.const_data_ptr<float>()[at] / kWidthUnit;
    // A NaN stays one: the grasp is dropped, and told, later.
    row[1] = opening < 0 ? 0 : opening > kWidest ? kWidest : opening;
    row[2] = kGripHeight;
    row[3] = static_cast<float>(depth + 1) * kDepthStep;
    std::copy_n(rotations.table.const_data_ptr<float>() + (v * kAngles + angle) * 9, 9, row + 4);
    std::copy_n(centre.const_data_ptr<float>() + 3 * i, 3, row + 13);
    row[16] = -1;
  }
  return rows;
}

}  // namespace grasppanda::models::gsnet
