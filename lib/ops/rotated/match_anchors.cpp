#include "lib/ops/rotated/match_anchors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/convex_iou.h"
#include "lib/ops/rotated/enclosing_boxes.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "match_anchors";
constexpr int64_t kMostPairs = 8'000'000;
constexpr int64_t kSampledAnchors = 5000;

// RetinaNet's: 0 but where the upright boxes overlap.
at::Tensor overlap_of_meeting(const at::Tensor& anchors, const at::Tensor& boxes) {
  const at::Tensor a = enclosing_boxes(anchors), b = enclosing_boxes(boxes);
  const auto first = [&](int64_t k) { return a.select(1, k).unsqueeze(1); };
  const auto second = [&](int64_t k) { return b.select(1, k).unsqueeze(0); };
  const at::Tensor meet = first(2)
                              .ge(second(0))
                              .logical_and(second(2).ge(first(0)))
                              .logical_and(first(3).ge(second(1)))
                              .logical_and(second(3).ge(first(1)));
  at::Tensor iou = at::zeros({anchors.size(0), boxes.size(0)}, anchors.options());
  const at::Tensor pairs = meet.nonzero();
  constexpr int64_t kStep = 1 << 16;
  for (int64_t begin = 0; begin < pairs.size(0); begin += kStep) {
    const at::Tensor part = pairs.narrow(0, begin, std::min(kStep, pairs.size(0) - begin));
    const at::Tensor i = part.select(1, 0), j = part.select(1, 1);
    iou.index_put_({i, j}, convex_iou(anchors.index_select(0, i), boxes.index_select(0, j)));
  }
  return iou;
}

at::Tensor overlap(MatchMode mode, const at::Tensor& anchors, const at::Tensor& boxes) {
  switch (mode) {
    case MatchMode::hbb:
      return horizontal_iou(enclosing_boxes(anchors), enclosing_boxes(boxes));
    case MatchMode::sampled:
      return sampled_iou(anchors, boxes);
    case MatchMode::rotated:
      break;
  }
  return overlap_of_meeting(anchors, boxes);
}

int64_t anchors_at_once(MatchMode mode, int64_t anchors, int64_t boxes) {
  if (mode == MatchMode::sampled) return kSampledAnchors;
  return std::max<int64_t>(1, std::min(anchors, kMostPairs / std::max<int64_t>(1, boxes)));
}

// Best object of every anchor and best anchor of every object; first maxima.
struct Best {
  at::Tensor anchor_iou, anchor_gt, gt_iou, gt_anchor;
};

Best best_overlaps(MatchMode mode, const at::Tensor& anchors, const at::Tensor& gt) {
  const int64_t n = anchors.size(0), m = gt.size(0), step = anchors_at_once(mode, n, m);
  const auto index = anchors.options().dtype(at::kLong);
  Best best{at::zeros({n}, anchors.options()), at::zeros({n}, index),
            at::full({m}, -1, anchors.options()), at::zeros({m}, index)};
  for (int64_t begin = 0; begin < n; begin += step) {
    const int64_t count = std::min(step, n - begin);
    const at::Tensor iou = overlap(mode, anchors.narrow(0, begin, count), gt);
    const auto [row_iou, row_gt] = iou.max(1);
    best.anchor_iou.narrow(0, begin, count).copy_(row_iou);
    best.anchor_gt.narrow(0, begin, count).copy_(row_gt);
    const auto [column_iou, column_anchor] = iou.max(0);
    const at::Tensor better = column_iou.gt(best.gt_iou);
    best.gt_anchor = at::where(better, column_anchor.add(begin), best.gt_anchor);
    best.gt_iou = at::where(better, column_iou, best.gt_iou);
  }
  return best;
}

// Whether each anchor overlaps one of the boxes by at least `threshold`.
at::Tensor touches(MatchMode mode, const at::Tensor& anchors, const at::Tensor& boxes,
                   double threshold) {
  at::Tensor found = at::zeros({anchors.size(0)}, anchors.options().dtype(at::kBool));
  const int64_t n = anchors.size(0), step = anchors_at_once(mode, n, boxes.size(0));
  for (int64_t begin = 0; begin < n; begin += step) {
    const int64_t count = std::min(step, n - begin);
    found.narrow(0, begin, count)
        .copy_(overlap(mode, anchors.narrow(0, begin, count), boxes)
                   .ge(static_cast<float>(threshold))
                   .any(1));
  }
  return found;
}

void promote_low_quality(const Best& best, const MatchOptions& options, AnchorMatches& matches) {
  const at::Tensor iou = best.gt_iou.cpu(), anchor = best.gt_anchor.cpu();
  for (int64_t j = 0; j < iou.size(0); ++j) {
    const float value = iou[j].item<float>();
    if (!(value >= static_cast<float>(options.min_pos_iou))) continue;
    if (options.mode == MatchMode::rotated && !(value > 0)) continue;
    const int64_t i = anchor[j].item<int64_t>();
    matches.label[i] = 1;
    matches.gt_index[i] = j;
  }
}

at::Tensor rows_of(std::string_view name, const at::Tensor& boxes, const at::Tensor& like) {
  require_rotated_boxes(kOp, name, boxes);
  if (boxes.device() != like.device())
    refuse_argument(kOp, name, "is on " + boxes.device().str(),
                    like.device().str() + " like anchors");
  return boxes.detach().to(at::kFloat);
}

void check_thresholds(const MatchOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"pos", options.pos}, {"neg", options.neg}, {"min_pos_iou", options.min_pos_iou}})
    if (std::isnan(value)) refuse_argument(kOp, name, "is NaN", "a number");
}

}  // namespace

MatchMode parse_match_mode(std::string_view name) {
  if (name == "hbb") return MatchMode::hbb;
  if (name == "sampled") return MatchMode::sampled;
  if (name == "rotated") return MatchMode::rotated;
  refuse_argument(kOp, "mode", "is '" + std::string(name) + "'", "hbb, sampled or rotated");
}

MatchOptions default_match_options(MatchMode mode) {
  MatchOptions options;
  options.mode = mode;
  if (mode == MatchMode::rotated) {
    options.pos = 0.5;
    options.neg = 0.4;
    options.min_pos_iou = 0;
  }
  return options;
}

AnchorMatches match_anchors(const at::Tensor& anchors, const at::Tensor& gt,
                            const MatchOptions& options) {
  const at::Tensor rows = rows_of("anchors", anchors, anchors);
  const at::Tensor objects = rows_of("gt", gt, anchors);
  check_thresholds(options);
  const auto index = rows.options().dtype(at::kLong);
  AnchorMatches matches{at::full({rows.size(0)}, -1, index), at::full({rows.size(0)}, -1, index)};
  if (objects.size(0) == 0) {
    matches.label.fill_(0);
    return matches;
  }
  if (rows.size(0) > 0) {
    const Best best = best_overlaps(options.mode, rows, objects);
    const at::Tensor positive = best.anchor_iou.ge(static_cast<float>(options.pos));
    matches.label.masked_fill_(best.anchor_iou.lt(static_cast<float>(options.neg)), 0);
    matches.label.masked_fill_(positive, 1);
    matches.gt_index = at::where(positive, best.anchor_gt, matches.gt_index);
    if (options.match_low_quality) promote_low_quality(best, options, matches);
  }
  const auto set_others = [&](std::string_view name, const at::Tensor& boxes,
                              std::optional<double> threshold, int64_t label) {
    if (!boxes.defined() || boxes.numel() == 0) return;
    const at::Tensor hit =
        touches(options.mode, rows, rows_of(name, boxes, anchors), threshold.value_or(options.pos))
            .logical_and(matches.label.le(0));
    matches.label.masked_fill_(hit, label);
    matches.gt_index.masked_fill_(hit, -1);
  };
  set_others("ignore", options.ignore, options.ignore_iou, -1);
  set_others("look_alike", options.look_alike, options.look_alike_iou, 0);
  return matches;
}

}  // namespace grasppanda::ops
