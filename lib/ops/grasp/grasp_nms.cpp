#include "lib/ops/grasp/grasp_nms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "grasp_nms";
constexpr int64_t kColumns = 17, kScore = 0, kRotation = 4, kTranslation = 13;

// One grasp as it lies in its row, in float64.
class Row {
 public:
  explicit Row(const double* values) : values_(values) {}
  double score() const { return values_[kScore]; }
  const double* rotation() const { return values_ + kRotation; }
  const double* translation() const { return values_ + kTranslation; }
  // Without a finite place it is near nothing, not even itself.
  bool is_somewhere() const {
    return std::all_of(translation(), translation() + 3, [](double x) { return std::isfinite(x); });
  }

 private:
  const double* values_;
};

double distance(Row a, Row b) {
  const double dx = a.translation()[0] - b.translation()[0];
  const double dy = a.translation()[1] - b.translation()[1];
  const double dz = a.translation()[2] - b.translation()[2];
  return std::sqrt((dx * dx + dy * dy) + dz * dz);
}

double angle(Row a, Row b) {
  std::array<double, 3> diagonal;
  for (int row = 0; row < 3; ++row) {
    const double* u = a.rotation() + 3 * row;
    const double* v = b.rotation() + 3 * row;
    diagonal[row] = (u[0] * v[0] + u[1] * v[1]) + u[2] * v[2];
  }
  double trace = (diagonal[0] + diagonal[1]) + diagonal[2];
  if (trace > 3) trace = 3;
  if (trace < -1) trace = -1;  // a NaN passes both and fails every later comparison
  return std::acos(0.5 * (trace - 1));
}

// The kept rows by place. Rows nearer than the threshold lie in the same or in adjacent cells: the
// cells are a little wider than the threshold, so that no rounding of the division can part them.
class KeptGrid {
 public:
  explicit KeptGrid(double threshold) : cell_(threshold * 1.0001) {}

  // Cells are told apart by 21 bits per axis; a place far beyond that has none.
  bool has_cell(Row row) const {
    return std::all_of(row.translation(), row.translation() + 3,
                       [&](double x) { return std::abs(x / cell_) < (1 << 20) - 2; });
  }
  void insert(Row row, int64_t index) { rows_[key(cell_of(row))].push_back(index); }

  template <class Deletes>
  bool any_near(Row row, const Deletes& deletes) const {
    const std::array<int64_t, 3> centre = cell_of(row);
    for (int64_t x = centre[0] - 1; x <= centre[0] + 1; ++x)
      for (int64_t y = centre[1] - 1; y <= centre[1] + 1; ++y)
        for (int64_t z = centre[2] - 1; z <= centre[2] + 1; ++z) {
          const auto found = rows_.find(key({x, y, z}));
          if (found != rows_.end() &&
              std::any_of(found->second.begin(), found->second.end(), deletes))
            return true;
        }
    return false;
  }

 private:
  std::array<int64_t, 3> cell_of(Row row) const {
    std::array<int64_t, 3> cell;
    for (int axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<int64_t>(std::floor(row.translation()[axis] / cell_));
    return cell;
  }
  static uint64_t key(const std::array<int64_t, 3>& cell) {
    constexpr int64_t half = 1 << 20;
    return static_cast<uint64_t>(cell[0] + half) << 42 |
           static_cast<uint64_t>(cell[1] + half) << 21 | static_cast<uint64_t>(cell[2] + half);
  }

  double cell_;
  std::unordered_map<uint64_t, std::vector<int64_t>> rows_;
};

void check_arguments(const at::Tensor& grasps, double translation_thresh, double rotation_thresh) {
  if (grasps.dim() != 2 || grasps.size(1) != kColumns)
    refuse_argument(kOp, "grasps", "has shape " + shape_text(grasps), "(n, 17)");
  if (grasps.scalar_type() != at::kFloat && grasps.scalar_type() != at::kDouble)
    refuse_argument(kOp, "grasps", "is " + std::string(c10::toString(grasps.scalar_type())),
                    "float32 or float64");
  if (std::isnan(translation_thresh))
    refuse_argument(kOp, "translation_thresh", "is NaN", "a number of metres");
  if (std::isnan(rotation_thresh))
    refuse_argument(kOp, "rotation_thresh", "is NaN", "a number of radians");
}

// Rows of a group in memory, float64.
struct Group {
  const double* values;
  int64_t count;
  Row operator[](int64_t index) const { return Row(values + index * kColumns); }
};

std::vector<int64_t> best_first(const Group& group) {
  std::vector<int64_t> order(group.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return group[a].score() > group[b].score(); });
  return order;
}

// A row stays unless a row that stayed before it deletes it.
std::vector<int64_t> survivors(const Group& group, const std::vector<int64_t>& order,
                               double translation_thresh, double rotation_thresh) {
  KeptGrid grid(translation_thresh);
  const bool use_grid = std::all_of(order.begin(), order.end(), [&](int64_t index) {
    return !group[index].is_somewhere() || grid.has_cell(group[index]);
  });
  std::vector<int64_t> kept;
  for (const int64_t index : order) {
    const Row candidate = group[index];
    const auto deletes = [&](int64_t stayed) {
      return distance(group[stayed], candidate) < translation_thresh &&
             angle(group[stayed], candidate) < rotation_thresh;
    };
    if (candidate.is_somewhere()) {
      if (use_grid ? grid.any_near(candidate, deletes)
                   : std::any_of(kept.begin(), kept.end(), deletes))
        continue;
      if (use_grid) grid.insert(candidate, index);
    }
    kept.push_back(index);
  }
  return kept;
}

}  // namespace

at::Tensor grasp_nms(const at::Tensor& grasps, double translation_thresh, double rotation_thresh) {
  check_arguments(grasps, translation_thresh, rotation_thresh);
  const at::Tensor wide = grasps.detach().to(at::kCPU, at::kDouble).contiguous();
  const Group group{wide.data_ptr<double>(), wide.size(0)};
  for (int64_t index = 0; index < group.count; ++index)
    if (std::isnan(group[index].score()))
      refuse_argument(kOp, "grasps", "has a NaN score in row " + std::to_string(index),
                      "scores that can be ordered; drop such rows first");

  std::vector<int64_t> kept = best_first(group);
  if (translation_thresh > 0 && rotation_thresh > 0)
    kept = survivors(group, kept, translation_thresh, rotation_thresh);
  at::Tensor result = at::empty({static_cast<int64_t>(kept.size())}, at::kLong);
  std::copy(kept.begin(), kept.end(), result.data_ptr<int64_t>());
  return result;
}

}  // namespace grasppanda::ops
