#include "models/contact_graspnet/decode.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace grasppanda::models::contact_graspnet {

namespace {

// The Panda hand, metres: base of the hand to the line between the finger pads, and the palm of the
// 17-column gripper (x = -0.02) laid onto the end of the hand's body (0.0584).
constexpr float kBaseToContacts = 0.1034F;
constexpr float kDepth = 0.025F;
constexpr float kHeight = 0.02F;
constexpr float kFullOpening = 0.08F;
constexpr float kNoObject = -1.0F;

using Vec3f = std::array<float, 3>;

float dot(const Vec3f& a, const Vec3f& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
Vec3f normalised(const Vec3f& v) {
  const float norm = std::sqrt(dot(v, v));
  return {v[0] / norm, v[1] / norm, v[2] / norm};
}
Vec3f without_part_along(const Vec3f& v, const Vec3f& unit) {
  const float part = dot(unit, v);
  return {v[0] - part * unit[0], v[1] - part * unit[1], v[2] - part * unit[2]};
}
Vec3f cross(const Vec3f& a, const Vec3f& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

at::Tensor on_cpu(const at::Tensor& value) {
  return value.to(at::kCPU, at::kFloat).contiguous();
}

Vec3f row3(const float* values, std::int64_t row) {
  return {values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

}  // namespace

Decoded decode(const at::Tensor& centres, const Heads& heads, double gripper_width) {
  const at::Tensor centre = on_cpu(centres), logit = on_cpu(heads.confidence),
                   baseline = on_cpu(heads.baseline), approach = on_cpu(heads.approach),
                   width = on_cpu(heads.width);
  const std::int64_t count = centre.size(0);
  const float widest = static_cast<float>(gripper_width / 2);
  const float narrowest = static_cast<float>(-gripper_width);
  Decoded decoded;
  decoded.confidence = at::empty({count}, centre.options());
  decoded.width = at::empty({count}, centre.options());
  decoded.signed_width = at::empty({count}, centre.options());
  decoded.poses = at::zeros({count, 4, 4}, centre.options());
  for (std::int64_t i = 0; i < count; ++i) {
    // Orthogonalised twice, as the public project does: it settles the last bits.
    Vec3f b = normalised(row3(baseline.const_data_ptr<float>(), i));
    Vec3f a = normalised(without_part_along(row3(approach.const_data_ptr<float>(), i), b));
    b = normalised(b);
    a = normalised(without_part_along(a, b));
    const Vec3f y = cross(a, b);
    const float raw = width.const_data_ptr<float>()[i];
    const float w = std::isnan(raw) ? raw : std::clamp(raw, narrowest, widest);
    const Vec3f p = row3(centre.const_data_ptr<float>(), i);
    float* pose = decoded.poses.mutable_data_ptr<float>() + 16 * i;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      pose[4 * axis] = b[axis];
      pose[4 * axis + 1] = y[axis];
      pose[4 * axis + 2] = a[axis];
      pose[4 * axis + 3] = (p[axis] - kBaseToContacts * a[axis]) + (w / 2) * b[axis];
    }
    pose[15] = 1.0F;
    decoded.signed_width.mutable_data_ptr<float>()[i] = w;
    decoded.width.mutable_data_ptr<float>()[i] = std::isnan(w) ? w : std::max(w, 0.0F);
    decoded.confidence.mutable_data_ptr<float>()[i] =
        1.0F / (1.0F + std::exp(-logit.const_data_ptr<float>()[i]));
  }
  return decoded;
}

at::Tensor grasp_rows(const Decoded& decoded, Opening opening) {
  const std::int64_t count = decoded.confidence.size(0);
  at::Tensor rows = at::empty({count, 17}, decoded.confidence.options());
  for (std::int64_t i = 0; i < count; ++i) {
    const float* pose = decoded.poses.const_data_ptr<float>() + 16 * i;
    const float magnitude = std::abs(decoded.signed_width.const_data_ptr<float>()[i]);
    float* row = rows.mutable_data_ptr<float>() + 17 * i;
    row[0] = decoded.confidence.const_data_ptr<float>()[i];
    row[1] = opening == Opening::full        ? kFullOpening
             : opening == Opening::predicted ? decoded.width.const_data_ptr<float>()[i]
                                             : std::min(magnitude, kFullOpening);
    row[2] = kHeight;
    row[3] = kDepth;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Columns approach, baseline, approach x baseline: those of the pose, exchanged cyclically.
      row[4 + 3 * axis] = pose[4 * axis + 2];
      row[5 + 3 * axis] = pose[4 * axis];
      row[6 + 3 * axis] = pose[4 * axis + 1];
      row[13 + axis] = pose[4 * axis + 3] + (kBaseToContacts - kDepth) * pose[4 * axis + 2];
    }
    row[16] = kNoObject;
  }
  return rows;
}

}  // namespace grasppanda::models::contact_graspnet
