#include "lib/ops/rotated/rotated_nms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_iou_sample_count.h"
#include "lib/ops/rotated/sampled_nms.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "rotated_nms";
constexpr double kLeastPackageArea = 1e-9;

void check_arguments(const at::Tensor& boxes, const at::Tensor& labels,
                     const RotatedNmsOptions& options) {
  require_rotated_boxes(kOp, "boxes", boxes);
  const double threshold = options.iou_threshold;
  if (std::isnan(threshold) ||
      (options.method == IouMethod::exact && !(threshold >= 0 && threshold <= 1)))
    refuse_argument(kOp, "iou_threshold", "is " + std::to_string(threshold), "a number in [0, 1]");
  if (options.max_detections.value_or(0) < 0)
    refuse_argument(kOp, "max_detections", "is " + std::to_string(*options.max_detections), ">= 0");
  if (!labels.defined()) return;
  if (labels.dim() != 1 || labels.size(0) != boxes.size(0))
    refuse_argument(kOp, "labels", "has shape " + shape_text(labels),
                    "(" + std::to_string(boxes.size(0)) + ",), one for each box");
  if (labels.is_floating_point() || labels.is_complex())
    refuse_argument(kOp, "labels", "is " + std::string(c10::toString(labels.scalar_type())),
                    "an integer type");
}

// Whether a box takes part, by the rules of the package.
bool has_polygon(const double* row, int64_t index) {
  if (row[2] <= 0 || row[3] <= 0)
    refuse_argument(kOp, "boxes",
                    "has a width or height that is not positive in row " + std::to_string(index),
                    "boxes with w > 0 and h > 0; drop the others first");
  if (std::isinf(row[4]))
    refuse_argument(kOp, "boxes", "has an infinite angle in row " + std::to_string(index),
                    "finite angles; drop such boxes first");
  return std::all_of(row, row + 5, [](double value) { return std::isfinite(value); }) &&
         row[2] * row[3] > kLeastPackageArea;
}

std::vector<int64_t> exact_nms(const at::Tensor& boxes, const std::vector<int64_t>& order,
                               const at::Tensor& groups, const RotatedNmsOptions& options) {
  const c10::Device device = suppression_device(rotated_nms_kernels(), boxes.device());
  const at::Tensor index = index_tensor(order, at::kCPU);
  const at::Tensor kept = rotated_nms_kernels().run(
      device, boxes.index_select(0, index.to(boxes.device())).to(device),
      groups.index_select(0, index).to(device), {options.iou_threshold, options.at_equality});
  std::vector<int64_t> chosen;
  const int64_t* places = kept.const_data_ptr<int64_t>();
  for (int64_t k = 0; k < kept.numel(); ++k)
    chosen.push_back(order[static_cast<std::size_t>(places[k])]);
  return chosen;
}

// One label: the best of it, suppressed among themselves.
std::vector<int64_t> sampled_pool(const at::Tensor& boxes, std::vector<int64_t> pool,
                                  const RotatedNmsOptions& options) {
  constexpr int64_t kMostBoxes = 4000;
  int64_t most = kMostBoxes;
  if (options.max_detections) most = std::min(most, 3 * std::min(*options.max_detections, most));
  if (static_cast<int64_t>(pool.size()) > most) pool.resize(static_cast<std::size_t>(most));
  if (pool.empty()) return pool;
  const at::Tensor best = boxes.index_select(0, index_tensor(pool, boxes.device())).to(at::kFloat);
  const int64_t samples = rotated_iou_sample_count(best, {}, SamplePurpose::nms);
  const at::Tensor kept = sampled_nms(best, options.iou_threshold, samples);
  const int64_t* places = kept.const_data_ptr<int64_t>();
  std::vector<int64_t> chosen;
  for (int64_t k = 0; k < kept.numel(); ++k)
    chosen.push_back(pool[static_cast<std::size_t>(places[k])]);
  return chosen;
}

std::vector<int64_t> sampled_nms_by_label(const at::Tensor& boxes,
                                          const std::vector<int64_t>& order,
                                          const at::Tensor& groups,
                                          const RotatedNmsOptions& options) {
  const int64_t* group = groups.const_data_ptr<int64_t>();
  std::map<int64_t, std::vector<int64_t>> pools;
  for (const int64_t i : order) pools[group[i]].push_back(i);
  std::vector<bool> stays(order.size(), false);
  for (auto& pool : pools)
    for (const int64_t i : sampled_pool(boxes, std::move(pool.second), options))
      stays[static_cast<std::size_t>(i)] = true;
  std::vector<int64_t> kept = order;
  std::erase_if(kept, [&](int64_t i) { return !stays[static_cast<std::size_t>(i)]; });
  return kept;
}

// Labels renumbered from 0 in the order of their values.
at::Tensor group_numbers(const at::Tensor& labels, int64_t count) {
  if (!labels.defined()) return at::zeros({count}, at::kLong);
  const at::Tensor values = labels.to(at::kCPU, at::kLong).contiguous();
  const int64_t* value = values.const_data_ptr<int64_t>();
  std::map<int64_t, int64_t> number;
  for (int64_t i = 0; i < count; ++i) number[value[i]] = 0;
  int64_t next = 0;
  for (auto& entry : number) entry.second = next++;
  at::Tensor groups = at::empty({count}, at::kLong);
  for (int64_t i = 0; i < count; ++i) groups.mutable_data_ptr<int64_t>()[i] = number[value[i]];
  return groups;
}

}  // namespace

IouMethod parse_iou_method(std::string_view op, std::string_view name) {
  if (name == "exact") return IouMethod::exact;
  if (name == "sampled") return IouMethod::sampled;
  refuse_argument(op, "method", "is '" + std::string(name) + "'", "exact or sampled");
}

at::Tensor rotated_nms(const at::Tensor& boxes, const at::Tensor& scores,
                       const RotatedNmsOptions& options, const at::Tensor& labels) {
  check_arguments(boxes, labels, options);
  const int64_t count = boxes.size(0);
  std::vector<int64_t> order = score_order(kOp, scores, count);
  const at::Tensor rows = boxes.detach();
  const at::Tensor groups = group_numbers(labels, count);
  const bool sampled = options.method == IouMethod::sampled;
  if (!sampled && options.degenerate == DegenerateBoxes::package) {
    const at::Tensor wide = rows.to(at::kCPU, at::kDouble).contiguous();
    const double* values = wide.const_data_ptr<double>();
    std::vector<int64_t> whole;
    for (int64_t i = 0; i < count; ++i)
      if (has_polygon(values + 5 * i, i)) whole.push_back(i);
    if (static_cast<int64_t>(whole.size()) < count)
      std::erase_if(order,
                    [&](int64_t i) { return !std::binary_search(whole.begin(), whole.end(), i); });
  }
  std::vector<int64_t> kept = sampled ? sampled_nms_by_label(rows, order, groups, options)
                                      : exact_nms(rows, order, groups, options);
  if (options.max_detections && static_cast<int64_t>(kept.size()) > *options.max_detections)
    kept.resize(static_cast<std::size_t>(*options.max_detections));
  return index_tensor(kept, boxes.device());
}

KernelList<RotatedNmsFn>& rotated_nms_kernels() {
  static KernelList<RotatedNmsFn> list("rotated",
                                       {rotated_cuda_kernels().rotated_nms,
                                        rotated_nms_cpu_kernel(),
                                        {kReference, {}, {}, rotated_nms_reference}},
                                       check_rotated_nms, "rotated_nms");
  return list;
}

}  // namespace grasppanda::ops
