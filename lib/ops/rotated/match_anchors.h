#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace grasppanda::ops {

/// How anchors and objects are compared.
enum class MatchMode : std::uint8_t {
  hbb,      // upright boxes around both, in parts whose size changes nothing
  sampled,  // sampled_iou in parts of 5000 anchors, each with a number of samples of its own
  rotated,  // RetinaNet's: convex_iou of the pairs whose upright boxes overlap
};
/// "hbb", "sampled", "rotated"; throws ArgumentError for anything else.
MatchMode parse_match_mode(std::string_view name);

struct MatchOptions {
  MatchMode mode = MatchMode::hbb;
  double pos = 0.7, neg = 0.3;
  double min_pos_iou = 0.3;  // mode rotated: also above 0
  bool match_low_quality = true;
  at::Tensor ignore = {};                     // (I, 5): regions that nobody labelled
  at::Tensor look_alike = {};                 // (L, 5): things that must stay background
  std::optional<double> ignore_iou = {};      // default pos
  std::optional<double> look_alike_iou = {};  // default pos
};

/// The thresholds of the RPNs, or of RetinaNet for mode rotated: 0.5, 0.4, 0.
MatchOptions default_match_options(MatchMode mode);

/// label (N,) int64: 1 positive, 0 background, -1 left out. gt_index (N,) int64: -1 for none.
struct AnchorMatches {
  at::Tensor label;
  at::Tensor gt_index;
};

/// Which object every anchor is to find, as oriented-det assigns them in training.
///
/// anchors  (N, 5) floating type, taken as float32: (cx, cy, w, h, angle), pixels, radians
/// gt       (M, 5) likewise
///
/// Contract: an anchor takes its best object from iou >= pos on and is background below neg. With
/// match_low_quality every object whose best iou is >= min_pos_iou then gets its best anchor, later
/// objects over earlier ones. First maxima count. Regions to ignore set what is not positive to -1
/// from ignore_iou on, look-alikes after that to 0. Without objects all is background.
/// Memory is bounded: 8 million pairs at a time. Throws ArgumentError: shapes, types, thresholds.
/// One implementation. Source: oriented-det 0.4.1; docs/ops/rotated.md
AnchorMatches match_anchors(const at::Tensor& anchors, const at::Tensor& gt,
                            const MatchOptions& options = {});

}  // namespace grasppanda::ops
