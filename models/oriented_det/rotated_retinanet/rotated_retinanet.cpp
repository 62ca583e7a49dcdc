#include "models/oriented_det/rotated_retinanet/rotated_retinanet.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/backbones/dense_head.h"
#include "models/oriented_det/priors.h"

namespace grasppanda::models::oriented_det::rotated_retinanet {

namespace {

constexpr SuppressionLimits kLimits{.most_before = 2000, .most = 3000};
const RetinaHeadNames kHead{.towers = {.classes = "head.cls_convs.",
                                       .boxes = "head.reg_convs.",
                                       .convolution = "",
                                       .norm = ""},
                            .classes = "head.conv_cls",
                            .boxes = "head.conv_bbox"};

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, "head.conv_cls.weight", 15 * kRetinaAnchors) / kRetinaAnchors;
}

class RetinaHeads final : public Heads {
 public:
  explicit RetinaHeads(RetinaHead head) : head_(std::move(head)) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override {
    std::vector<Candidate> candidates;
    std::int64_t anchors = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const RetinaOutput output = head_(levels[i]);
      const std::string number = std::to_string(i);
      passage.show("head.cls" + number, output.classes);
      passage.show("head.bbox" + number, output.boxes);
      anchors +=
          add_level(output, live_stride(passage.input, levels[i], passage.settings.strides[i]),
                    passage.settings.detect.score_threshold, candidates);
    }
    std::erase_if(candidates, [](const Candidate& c) { return !(c.box.w >= 1 && c.box.h >= 1); });
    const auto count = [&](const char* name, std::int64_t value) {
      passage.accounting.counts.emplace_back(name, value);
    };
    count("anchors", anchors);
    count("above_threshold", static_cast<std::int64_t>(candidates.size()));
    if (passage.observe) {
      passage.observe("pre_nms_boxes", boxes_of(candidates));
      passage.observe("pre_nms_scores", scores_of(candidates));
      passage.observe("pre_nms_labels", labels_of(candidates));
    }
    SuppressionLimits limits = kLimits;
    limits.most = passage.settings.detect.max_detections.value_or(kLimits.most);
    std::vector<Candidate> kept = suppress(candidates, passage.settings.detect, limits);
    count("after_nms", static_cast<std::int64_t>(kept.size()));
    return kept;
  }

 private:
  /// The best class of every anchor, where it reaches the threshold.
  static std::int64_t add_level(const RetinaOutput& output, std::int64_t stride, float threshold,
                                std::vector<Candidate>& candidates) {
    const std::int64_t classes = output.classes.size(1) / kRetinaAnchors;
    const at::Tensor logits = by_prior(output.classes, classes), deltas = by_prior(output.boxes, 5);
    const AnchorGrid grid = retina_anchors(stride, output.classes.size(3));
    for (std::int64_t anchor = 0; anchor < logits.size(0); ++anchor) {
      const float* row = logits.const_data_ptr<float>() + anchor * classes;
      const float* best = std::max_element(row, row + classes);
      const float score = sigmoid(*best);
      if (!(score >= threshold)) continue;
      candidates.push_back(
          {decode_rotated(grid[anchor], deltas.const_data_ptr<float>() + 5 * anchor, {}), score,
           static_cast<std::int32_t>(best - row)});
    }
    return logits.size(0);
  }

  RetinaHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  return std::make_unique<RetinaHeads>(
      RetinaHead(source, kHead, kRetinaAnchors, classes_of(tensors)));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_trunk(tensors) &&
         outputs_of(tensors, "head.conv_bbox.weight", 0) == 5 * kRetinaAnchors;
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{
      ExtraLevels::from_input_rectified, 0, true, recognises, classes_of, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::oriented_det::rotated_retinanet
