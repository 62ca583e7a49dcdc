#include "lib/ops/rotated/rotated_iou_sample_count.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/perfect_square.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "rotated_iou_sample_count";

// NaN and what is beyond the range become the lowest number, as the conversion of x86 has it: such
// a size then asks for nothing.
int64_t whole(float value) {
  return value >= -9e18F && value <= 9e18F ? static_cast<int64_t>(value)
                                           : std::numeric_limits<int64_t>::min();
}

// Every step rounded to float32: sizes that are a multiple of the spacing hang on it.
int64_t grid_of(float width, float height, const SampleGeometry& geometry, int64_t largest) {
  const auto spacing = static_cast<float>(geometry.target_spacing);
  const auto short_points = static_cast<float>(geometry.points_on_short_side);
  const auto at_least = [](float value, float least) { return value < least ? least : value; };
  const float w = at_least(std::fabs(width), 1e-6F), h = at_least(std::fabs(height), 1e-6F);
  const float shorter = std::fmin(w, h), longer = std::fmax(w, h);
  const auto points = [](float side, float step) { return whole(std::ceil(0.99F * side / step)); };
  int64_t nx = std::max<int64_t>(2, points(w, spacing));
  int64_t ny = std::max<int64_t>(2, points(h, spacing));
  const int64_t ns = std::max(geometry.points_on_short_side,
                              points(shorter, at_least(shorter / short_points, spacing)));
  const float narrowing = std::fmin(at_least(2.0F / (longer / shorter), 0.5F), 1.0F);
  const int64_t nl = std::max<int64_t>(2, points(longer, spacing * narrowing));
  if (w >= h) nx = std::max(nx, nl);
  if (h >= w) ny = std::max(ny, nl);
  return std::clamp<int64_t>(std::max({nx, ny, ns}), 2, largest);
}

int64_t largest_grid(const at::Tensor& boxes, const SampleGeometry& geometry, int64_t largest) {
  if (!boxes.defined() || boxes.numel() == 0) return 0;
  const at::Tensor rows = boxes.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* row = rows.const_data_ptr<float>();
  int64_t grid = 0;
  for (int64_t i = 0; i < rows.size(0); ++i, row += 5)
    grid = std::max(grid, grid_of(row[2], row[3], geometry, largest));
  return grid;
}

void require_boxes(std::string_view argument, const at::Tensor& boxes) {
  if (boxes.defined() && (boxes.dim() != 2 || boxes.size(1) != 5))
    refuse_argument(kOp, argument, "has shape " + shape_text(boxes), "(N, 5): cx, cy, w, h, angle");
}

}  // namespace

int64_t geometry_sample_count(const at::Tensor& boxes1, const at::Tensor& boxes2,
                              const SampleGeometry& geometry) {
  const int64_t most = whole_square_root(geometry.max_samples);
  const int64_t largest = std::max<int64_t>(2, most);
  const int64_t grid =
      std::max(largest_grid(boxes1, geometry, largest), largest_grid(boxes2, geometry, largest));
  if (grid == 0) return geometry.min_samples;
  const int64_t samples =
      std::max(geometry.min_samples, std::min(geometry.max_samples, grid * grid));
  if (is_perfect_square(samples)) return samples;
  const int64_t root = std::min(whole_square_root(samples) + 1, most);
  return std::max(root * root, geometry.min_samples);
}

int64_t rotated_iou_sample_count(const at::Tensor& boxes1, const at::Tensor& boxes2,
                                 SamplePurpose purpose, std::optional<int64_t> num_samples) {
  require_boxes("boxes1", boxes1);
  require_boxes("boxes2", boxes2);
  if (num_samples) {
    if (!is_perfect_square(*num_samples))
      refuse_argument(kOp, "num_samples",
                      "must be a perfect square, got " + std::to_string(*num_samples),
                      "one of 1, 4, 9, 16, 25, 36, 49, 64, 81, 100 and so on");
    return *num_samples;
  }
  const SampleSettings settings = sample_settings(purpose);
  if (settings.flat) return *settings.flat;
  return geometry_sample_count(boxes1, boxes2, settings.geometry);
}

}  // namespace grasppanda::ops
