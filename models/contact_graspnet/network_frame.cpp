#include "models/contact_graspnet/network_frame.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace grasppanda::models::contact_graspnet {

namespace {

using geometry::Vec3;

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 normalised(const Vec3& v) {
  const double length = std::sqrt(dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

Vec3 without_part_along(const Vec3& v, const Vec3& unit) {
  const double part = dot(v, unit);
  return {v[0] - part * unit[0], v[1] - part * unit[1], v[2] - part * unit[2]};
}

}  // namespace

at::Tensor rotation_from_up(const Vec3& up) {
  // Scaled first, so that no length overflows or vanishes when it is squared.
  const double largest = std::max({std::abs(up[0]), std::abs(up[1]), std::abs(up[2])});
  if (!(largest > 0)) throw std::invalid_argument("rotation_from_up: zero vector");
  const Vec3 z = normalised({up[0] / largest, up[1] / largest, up[2] / largest});
  Vec3 x = without_part_along({1, 0, 0}, z);
  // A table that the camera sees edge-on to its x axis leaves nothing of it: take the y axis.
  if (dot(x, x) < 1e-12) x = without_part_along({0, 1, 0}, z);
  x = normalised(x);
  const Vec3 y = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  at::Tensor rotation = at::empty({3, 3}, at::kDouble);
  double* out = rotation.mutable_data_ptr<double>();
  for (const Vec3& row : {x, y, z}) out = std::copy(row.begin(), row.end(), out);
  return rotation;
}

at::Tensor to_network_frame(const at::Tensor& sampled, NetworkFrame& frame) {
  const at::Tensor turned = at::mm(sampled, frame.rotation.t()).contiguous();
  // Added row by row: the same sum whatever the number of threads.
  Vec3 sum = {0, 0, 0};
  const double* row = turned.const_data_ptr<double>();
  for (std::int64_t i = 0; i < turned.size(0); ++i, row += 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += row[axis];
  }
  frame.mean = at::empty({3}, at::kDouble);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    frame.mean.mutable_data_ptr<double>()[axis] = sum[axis] / static_cast<double>(turned.size(0));
  }
  return (turned - frame.mean).to(at::kFloat);
}

at::Tensor to_camera_frame(const at::Tensor& rows, const NetworkFrame& frame) {
  const at::Tensor camera_from_network = frame.rotation.t();
  const std::int64_t count = rows.size(0);
  at::Tensor turned = rows.clone();
  const at::Tensor rotation = rows.narrow(1, 4, 9).reshape({count, 3, 3}).to(at::kDouble);
  const at::Tensor translation = rows.narrow(1, 13, 3).to(at::kDouble) + frame.mean;
  turned.narrow(1, 4, 9).copy_(at::matmul(camera_from_network, rotation).reshape({count, 9}));
  turned.narrow(1, 13, 3).copy_(at::mm(translation, frame.rotation));
  return turned;
}

}  // namespace grasppanda::models::contact_graspnet
