// From the head's raw numbers to candidate boxes in pixels of the network's input.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "models/yolo_obb/network.h"

namespace grasppanda::models::yolo_obb {

/// A box that some anchor answers: pixels of the network's input, radians, as the network has it
/// (any angle, sides in any order).
struct Candidate {
  std::int32_t anchor;  // levels one after the other, rows of a level, columns
  float cx, cy, w, h, angle, score;
  std::int32_t class_index;
};

/// The output of the head for one picture of the batch, by anchor: pointers into its tensors.
class AnchorGrid {
 public:
  /// The tensors of `head` must be on the CPU and outlive the grid.
  AnchorGrid(const HeadOutput& head, std::int64_t batch_index, const Architecture& net);

  std::int64_t anchors() const { return anchors_; }
  std::int64_t classes() const { return classes_; }
  /// Logits of the anchor's classes, (classes) numbers.
  const float* logits(std::int64_t anchor) const;
  /// The decoded box: score and class are left at 0.
  Candidate decoded(std::int64_t anchor) const;

  /// Whole arrays in the reference's layout, for stage dumps: (1, 4 R, A), (1, classes, A),
  /// (1, 1, A; radians), (1, 4 + classes + 1, A; cx, cy, w, h, scores, angle).
  at::Tensor all_boxes() const;
  at::Tensor all_scores() const;
  at::Tensor all_angles() const;
  at::Tensor all_decoded() const;

 private:
  struct Level {
    at::Tensor boxes, scores, angle;  // (H W, C), an anchor's numbers together
    std::int64_t first, width, stride;
  };
  const Level& level_of(std::int64_t anchor) const;
  float radians(float raw) const;

  std::vector<Level> levels_;
  std::int64_t anchors_ = 0, classes_, bins_;
  bool raw_angle_;
};

struct CandidateSettings {
  float score_threshold = 0.25F;  // a candidate's score is greater
  bool multi_label = false;       // every class above the threshold, not only the best
};

/// In anchor order; with multi_label by class within an anchor. Of equal scores of an anchor the
/// first class is its best.
std::vector<Candidate> select_candidates(const AnchorGrid& grid, const CandidateSettings& settings);

/// The same from a decoded array (4 + classes + 1, A) float32: the definition, in plain steps.
std::vector<Candidate> select_candidates(const at::Tensor& decoded,
                                         const CandidateSettings& settings);

/// The one-to-one branch: the `count` best pairs of box and class among the `count` anchors of best
/// scores, best first. An anchor may come with several classes.
std::vector<Candidate> best_pairs(const AnchorGrid& grid, std::int64_t count);

}  // namespace grasppanda::models::yolo_obb
