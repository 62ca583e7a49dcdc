#include "models/contact_graspnet/table_fit.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "models/checkpoint_error.h"

namespace grasppanda::models::contact_graspnet {

namespace {

using geometry::Vec3;

constexpr std::int64_t kMostPoints = 20000;
constexpr int kTries = 500;
constexpr double kInlierDistance = 0.005;  // metres
constexpr double kSmallestShare = 0.2;

struct Plane {
  Vec3 normal;
  double offset;
};

/// One coordinate after the other, so that counting inliers is a loop over plain arrays.
struct Points {
  std::vector<double> x, y, z;
  std::size_t size() const { return x.size(); }
  Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

Points draw_points(const at::Tensor& cloud, NumpyRandom& random) {
  const std::int64_t n = cloud.size(0);
  const auto index = sample_without_replacement(random, n, std::min(n, kMostPoints));
  const double* xyz = cloud.const_data_ptr<double>();
  Points points;
  for (const std::int64_t i : index) {
    points.x.push_back(xyz[3 * i]);
    points.y.push_back(xyz[3 * i + 1]);
    points.z.push_back(xyz[3 * i + 2]);
  }
  return points;
}

/// None for three points on a line.
std::optional<Plane> plane_through(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const Vec3 v = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  Vec3 n = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0)) return std::nullopt;
  for (double& value : n) value /= length;
  return Plane{n, -(n[0] * a[0] + n[1] * a[1] + n[2] * a[2])};
}

std::array<std::size_t, 3> draw_triple(std::size_t n, NumpyRandom& random) {
  std::array<std::size_t, 3> triple{};
  for (std::size_t i = 0; i < 3; ++i) {
    do {
      triple[i] = random.draw(n - 1);
    } while (std::find(triple.begin(), triple.begin() + i, triple[i]) != triple.begin() + i);
  }
  return triple;
}

double height(const Plane& plane, const Points& points, std::size_t i) {
  return plane.normal[0] * points.x[i] + plane.normal[1] * points.y[i] +
         plane.normal[2] * points.z[i] + plane.offset;
}

std::int64_t count_inliers(const Plane& plane, const Points& points) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    count += std::abs(height(plane, points, i)) < kInlierDistance ? 1 : 0;
  }
  return count;
}

/// Least squares plane of the inliers, turned towards the camera at the origin.
Plane refine(const Plane& plane, const Points& points) {
  std::vector<double> inliers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::abs(height(plane, points, i)) >= kInlierDistance) continue;
    inliers.insert(inliers.end(), {points.x[i], points.y[i], points.z[i]});
  }
  const auto count = static_cast<std::int64_t>(inliers.size() / 3);
  const at::Tensor rows = at::from_blob(inliers.data(), {count, 3}, at::kDouble);
  const at::Tensor mean = rows.mean(0);
  const at::Tensor centred = rows - mean;
  // Eigenvalues come in ascending order: the first vector is the direction of least spread.
  const at::Tensor normal =
      std::get<1>(at::linalg_eigh(at::mm(centred.t(), centred))).select(1, 0).contiguous();
  const double* n = normal.const_data_ptr<double>();
  const double* c = mean.const_data_ptr<double>();
  const double along = n[0] * c[0] + n[1] * c[1] + n[2] * c[2];
  const double sign = along > 0 ? -1.0 : 1.0;
  return {{sign * n[0], sign * n[1], sign * n[2]}, -sign * along};
}

}  // namespace

bool has_three_distinct_points(const at::Tensor& cloud) {
  const at::Tensor rows = cloud.contiguous();
  const double* xyz = rows.const_data_ptr<double>();
  std::vector<Vec3> distinct;
  for (std::int64_t i = 0; i < cloud.size(0) && distinct.size() < 3; ++i) {
    const Vec3 p = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
    if (std::find(distinct.begin(), distinct.end(), p) == distinct.end()) distinct.push_back(p);
  }
  return distinct.size() == 3;
}

std::optional<Table> fit_table(const at::Tensor& cloud, NumpyRandom& random) {
  const at::Tensor rows = cloud.contiguous();
  if (!has_three_distinct_points(rows)) return std::nullopt;
  const Points points = draw_points(rows, random);
  std::optional<Plane> best;
  std::int64_t most = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto [i, j, k] = draw_triple(points.size(), random);
    const auto plane = plane_through(points.at(i), points.at(j), points.at(k));
    if (!plane) continue;
    const std::int64_t inliers = count_inliers(*plane, points);
    if (inliers > most) {
      most = inliers;
      best = plane;
    }
  }
  const double share = static_cast<double>(most) / static_cast<double>(points.size());
  if (!best || share < kSmallestShare) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f %%", 100 * share);
    throw InputError("no table plane found (the best one holds " + std::string(percent) +
                     " of the points, 20 % are wanted); set model.up");
  }
  const Plane refined = refine(*best, points);
  return Table{refined.normal, refined.offset, share};
}

}  // namespace grasppanda::models::contact_graspnet
