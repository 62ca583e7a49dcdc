#include "lib/ops/rotated/horizontal_nms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "horizontal_nms";

template <class T>
struct Upright {
  T x1, y1, x2, y2, area;
};

/// Kept boxes in columns of the picture, each in every column that it touches.
template <class T>
class KeptColumns {
 public:
  KeptColumns(const std::vector<Upright<T>>& boxes, T threshold) : threshold_(threshold) {
    std::vector<T> centres;
    double width = 0;
    for (const Upright<T>& box : boxes) {
      if (!std::isfinite(box.area)) continue;
      centres.push_back((box.x1 + box.x2) / 2);
      width += std::abs(static_cast<double>(box.x2) - box.x1);
    }
    width /= static_cast<double>(std::max<std::size_t>(1, centres.size()));
    std::sort(centres.begin(), centres.end());
    for (std::size_t i = 0, since = 0; i < centres.size(); ++i)
      if (++since > 24 && (borders_.empty() || centres[i] - borders_.back() >= width)) {
        borders_.push_back(centres[i]);
        since = 0;
      }
    columns_.resize(borders_.size() + 1);
  }

  bool suppress(const Upright<T>& box) const {
    for (std::size_t c = column_of(box.x1); c <= column_of(box.x2); ++c)
      for (const Upright<T>& kept : columns_[c])
        if (iou(kept, box) > threshold_) return true;
    return false;
  }
  void insert(const Upright<T>& box) {
    for (std::size_t c = column_of(box.x1); c <= column_of(box.x2); ++c) columns_[c].push_back(box);
  }

 private:
  std::size_t column_of(T x) const {
    return static_cast<std::size_t>(std::upper_bound(borders_.begin(), borders_.end(), x) -
                                    borders_.begin());
  }
  static T iou(const Upright<T>& a, const Upright<T>& b) {
    const T width = std::max<T>(0, std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
    const T height = std::max<T>(0, std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
    const T shared = width * height;
    return shared / ((a.area + b.area) - shared);
  }

  T threshold_;
  std::vector<T> borders_;
  std::vector<std::vector<Upright<T>>> columns_;
};

template <class T>
std::vector<int64_t> survivors(const at::Tensor& boxes, const std::vector<int64_t>& order,
                               double threshold, int64_t most) {
  const T* rows = boxes.const_data_ptr<T>();
  std::vector<Upright<T>> all;
  for (const int64_t i : order) {
    const T* row = rows + 4 * i;
    all.push_back({row[0], row[1], row[2], row[3], (row[2] - row[0]) * (row[3] - row[1])});
  }
  KeptColumns<T> columns(all, static_cast<T>(threshold));
  std::vector<int64_t> kept;
  for (std::size_t k = 0; k < all.size() && static_cast<int64_t>(kept.size()) < most; ++k) {
    // Below zero even boxes that do not meet suppress each other; NaN and infinity have no column.
    const bool everywhere = threshold < 0;
    if (everywhere ? !kept.empty() : std::isfinite(all[k].area) && columns.suppress(all[k]))
      continue;
    if (std::isfinite(all[k].area)) columns.insert(all[k]);
    kept.push_back(order[k]);
  }
  return kept;
}

}  // namespace

at::Tensor horizontal_nms(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold,
                          std::optional<int64_t> most) {
  if (!boxes.defined() || boxes.dim() != 2 || boxes.size(1) != 4)
    refuse_argument(kOp, "boxes", boxes.defined() ? "has shape " + shape_text(boxes) : "is missing",
                    "(N, 4): x1, y1, x2, y2");
  if (!boxes.is_floating_point())
    refuse_argument(kOp, "boxes", "is " + std::string(c10::toString(boxes.scalar_type())),
                    "a floating type");
  if (std::isnan(iou_threshold)) refuse_argument(kOp, "iou_threshold", "is NaN", "a number");
  if (most.value_or(0) < 0)
    refuse_argument(kOp, "max_detections", "is " + std::to_string(*most), ">= 0");
  const std::vector<int64_t> order = score_order(kOp, scores, boxes.size(0));
  const bool wide = boxes.scalar_type() == at::kDouble;
  const at::Tensor rows = boxes.detach().to(at::kCPU, wide ? at::kDouble : at::kFloat).contiguous();
  const int64_t limit = most.value_or(boxes.size(0));
  return index_tensor(wide ? survivors<double>(rows, order, iou_threshold, limit)
                           : survivors<float>(rows, order, iou_threshold, limit),
                      boxes.device());
}

}  // namespace grasppanda::ops
