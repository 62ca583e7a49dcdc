#include "lib/eval/closing_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/eval/singular_vector.h"
#include "lib/geometry/float32_rounding.h"

namespace grasppanda::eval {
namespace {

double dot(const Vec3& a, const Vec3& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

Vec3 minus(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec3 plus_scaled(const Vec3& a, double t, const Vec3& v) {
  return {a[0] + t * v[0], a[1] + t * v[1], a[2] + t * v[2]};
}

Vec3 unit(const Vec3& v) {
  const double length = std::sqrt(dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

Vec3 rounded(const Vec3& v) {
  return {geometry::round_to_float32(v[0]), geometry::round_to_float32(v[1]),
          geometry::round_to_float32(v[2])};
}

// The samples of a closing line in grid units, and their values, each computed at most once.
class ClosingLine {
 public:
  ClosingLine(const DistanceGrid& grid, const Vec3& start, const Vec3& direction, double length)
      : grid_(grid), start_(start), direction_(direction), length_(length) {
    // 2 * length is the width of the gripper.
    const double cells = 1.0 / grid.step() * (2 * length);
    count_ = std::max(static_cast<std::int64_t>(cells), std::int64_t{3});
    step_ = length / static_cast<double>(count_ - 1);
    values_.assign(static_cast<std::size_t>(count_), std::numeric_limits<double>::quiet_NaN());
  }

  std::int64_t count() const { return count_; }

  Vec3 sample(std::int64_t i) const {
    const double t = i == count_ - 1 ? length_ : static_cast<double>(i) * step_;
    return grid_.to_grid(plus_scaled(start_, t, direction_));
  }

  double value(std::int64_t i) {
    double& known = values_[static_cast<std::size_t>(i)];
    if (std::isnan(known)) known = grid_.value(sample(i));
    return known;
  }

  bool is_on_surface(std::int64_t i) {
    double& known = values_[static_cast<std::size_t>(i)];
    if (std::isnan(known)) {
      const std::optional<double> found = grid_.surface_value(sample(i));
      if (!found) return false;
      known = *found;
    }
    return std::abs(known) < grid_.surface_threshold();
  }

 private:
  const DistanceGrid& grid_;
  Vec3 start_, direction_;
  double length_, step_ = 0;
  std::int64_t count_ = 0;
  std::vector<double> values_;
};

// Of the parabola a t^2 + b t + c through (0, y[0]), (t1, y[1]), (t2, y[2]): a, b, c by LU
// decomposition with row pivoting.
std::optional<std::array<double, 3>> parabola(double t1, double t2, const Vec3& y) {
  std::array<std::array<double, 4>, 3> rows = {
      {{0, 0, 1, y[0]}, {t1 * t1, t1, 1, y[1]}, {t2 * t2, t2, 1, y[2]}}};
  for (std::size_t k = 0; k < 3; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < 3; ++row) {
      if (std::abs(rows[row][k]) > std::abs(rows[pivot][k])) pivot = row;
    }
    std::swap(rows[k], rows[pivot]);
    if (rows[k][k] == 0) return {};
    const double reciprocal = 1.0 / rows[k][k];
    for (std::size_t row = k + 1; row < 3; ++row) {
      const double factor = rows[row][k] * reciprocal;
      for (std::size_t column = k + 1; column < 4; ++column) {
        rows[row][column] -= factor * rows[k][column];
      }
    }
  }
  std::array<double, 3> x;
  for (std::size_t k = 3; k-- > 0;) {
    double rest = rows[k][3];
    for (std::size_t column = 2; column > k; --column) rest -= rows[k][column] * x[column];
    x[k] = rest / rows[k][k];
  }
  return x;
}

// Where the parabola says the surface is, grid units from the first sample. Of two roots in [0, 10]
// the one of smaller size; without any the vertex.
std::optional<double> crossing(const std::array<double, 3>& abc) {
  const auto [a, b, c] = abc;
  if (std::abs(a) < 1e-10) return {};
  const auto in_range = [](double t) { return t >= 0 && t <= 10; };
  const double p = b / a, q = c / a;
  const double discriminant = 0.25 * p * p - q;
  double t = -b / (2 * a);
  if (discriminant >= 0) {
    const double half = 0.5 * p;
    const double larger = -(half + std::copysign(std::sqrt(discriminant), half));
    const double smaller = larger == 0 ? 0 : q / larger;
    if (in_range(smaller)) {
      t = smaller;
    } else if (in_range(larger)) {
      t = larger;
    }
  }
  if (t < -1 || t > 1) return {};
  return t;
}

std::optional<Vec3> contact_at(ClosingLine& line, std::int64_t i) {
  const std::int64_t last = line.count() - 1;
  const std::int64_t first = i == 0 ? 0 : i == last ? last - 2 : i - 1;
  if (i != last && std::abs(line.value(i + 1)) < std::abs(line.value(i))) return {};
  const Vec3 origin = line.sample(first);
  const Vec3 step1 = minus(line.sample(first + 1), origin);
  const Vec3 step2 = minus(line.sample(first + 2), origin);
  const Vec3 direction = unit(step1);
  std::size_t axis = 0;
  while (axis < 3 && direction[axis] == 0) ++axis;
  if (axis == 3 || std::isnan(direction[axis])) return {};
  const std::optional<std::array<double, 3>> abc =
      parabola(step1[axis] / direction[axis], step2[axis] / direction[axis],
               {line.value(first), line.value(first + 1), line.value(first + 2)});
  if (!abc) return {};
  const std::optional<double> t = crossing(*abc);
  if (!t) return {};
  return plus_scaled(origin, *t, direction);
}

// Unit vectors towards the 26 neighbours.
const std::array<Vec3, 26>& neighbour_directions() {
  static const std::array<Vec3, 26> all = [] {
    std::array<Vec3, 26> directions;
    std::size_t count = 0;
    for (const double x : {-1.0, 0.0, 1.0}) {
      for (const double y : {-1.0, 0.0, 1.0}) {
        for (const double z : {-1.0, 0.0, 1.0}) {
          if (x != 0 || y != 0 || z != 0) directions[count++] = unit({x, y, z});
        }
      }
    }
    return directions;
  }();
  return all;
}

// The normal of the surface around a point in grid units; nothing when that is off the surface.
std::optional<Vec3> surface_normal(const DistanceGrid& grid, const Vec3& point,
                                   const Vec3& closing) {
  struct Probe {
    double value;
    Vec3 at;
  };
  const std::optional<double> here = grid.surface_value(point);
  if (!here) return {};
  std::vector<Probe> probes = {{*here, point}};
  for (const Vec3& direction : neighbour_directions()) {
    const Vec3 at = plus_scaled(point, 1.5, direction);
    if (const auto value = grid.surface_value(at)) probes.push_back({*value, at});
  }
  std::ranges::stable_sort(probes, {}, &Probe::value);
  Vec3 mean{0, 0, 0};
  for (const Probe& probe : probes) mean = plus_scaled(mean, 1, probe.at);
  for (double& m : mean) m /= static_cast<double>(probes.size());
  std::vector<Vec3> centred;
  for (const Probe& probe : probes) centred.push_back(minus(probe.at, mean));
  Vec3 normal = third_left_singular_vector(centred);
  const Vec3 flipped = {-normal[0], -normal[1], -normal[2]};
  const double along = dot(rounded(closing), normal);
  if (along > 0) {
    normal = flipped;
  } else if (along == 0 && grid.value(plus_scaled(point, 0.01, normal)) < *here) {
    normal = flipped;
  }
  return rounded(normal);
}

}  // namespace

std::optional<Contact> first_contact(const DistanceGrid& grid, const Vec3& start,
                                     const Vec3& direction, double length) {
  ClosingLine line(grid, start, direction, length);
  for (std::int64_t i = 0; i < line.count(); ++i) {
    if (!line.is_on_surface(i)) continue;
    const std::optional<Vec3> found = contact_at(line, i);
    if (!found) continue;
    const Vec3 point = grid.to_model(*found);
    const Vec3 closing = unit(minus(line.sample(line.count() - 1), line.sample(0)));
    const std::optional<Vec3> normal = surface_normal(grid, grid.to_grid(point), closing);
    if (!normal) return {};
    return Contact{point, *normal};
  }
  return {};
}

}  // namespace grasppanda::eval
