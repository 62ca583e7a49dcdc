#include "models/mmrotate/rotated_retinanet/rotated_retinanet.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "models/backbones/dense_head.h"
#include "models/mmrotate/detection.h"
#include "models/mmrotate/priors.h"

namespace grasppanda::models::mmrotate::rotated_retinanet {

namespace {

constexpr std::int64_t kFirstStride = 8;
const std::string kClasses = "bbox_head.retina_cls";
const RetinaHeadNames kHead{.towers = {.classes = "bbox_head.cls_convs.",
                                       .boxes = "bbox_head.reg_convs.",
                                       .convolution = ".conv",
                                       .norm = ""},
                            .classes = kClasses,
                            .boxes = "bbox_head.retina_reg"};

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, kClasses + ".weight", 15 * kRetinaAnchors) / kRetinaAnchors;
}

DeltaCoder coder_of(AngleConvention convention) {
  DeltaCoder coder;
  switch (convention) {
    case AngleConvention::le90:
      coder.edge_swap = coder.projected = true;
      break;
    case AngleConvention::le135:
      coder.angle_factor = 1.0F;
      coder.projected = true;
      break;
    case AngleConvention::oc:
      break;
  }
  return coder;
}

class RetinaHeads final : public Heads {
 public:
  explicit RetinaHeads(RetinaHead head) : head_(std::move(head)) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override {
    const Settings& settings = passage.settings;
    std::vector<Candidate> candidates;
    std::int64_t anchors = 0, stride = kFirstStride;
    for (std::size_t i = 0; i < levels.size(); ++i, stride *= 2) {
      const RetinaOutput output = head_(levels[i]);
      passage.show("head.cls." + std::to_string(i), output.classes);
      passage.show("head.reg." + std::to_string(i), output.boxes);
      const DenseLevel level = level_of(output.classes, output.boxes, stride,
                                        passage.picture_size(), settings.angle, settings.anchors);
      anchors += level.logits.size(0);
      add_candidates(level, settings.line, settings.detect.score_threshold, candidates);
    }
    passage.accounting.counts.emplace_back("anchors", anchors);
    for (Candidate& c : candidates) c.box = in_picture(c.box, passage.size, settings.line);
    return candidates;
  }

 private:
  RetinaHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  return std::make_unique<RetinaHeads>(
      RetinaHead(source, kHead, kRetinaAnchors, classes_of(tensors)));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return shape_of(tensors, kClasses + ".weight") != nullptr &&
         shape_of(tensors, "neck.fpn_convs.4.conv.weight") != nullptr &&
         shape_of(tensors, "refine_head.0.retina_cls.weight") == nullptr;
}

}  // namespace

DenseLevel level_of(const at::Tensor& logits, const at::Tensor& deltas, std::int64_t stride,
                    const PictureSize& size, AngleConvention convention, Line anchors_of) {
  const std::int64_t classes = logits.size(1) / kRetinaAnchors;
  const at::Tensor rows = by_prior(deltas, 5);
  const AnchorGrid anchors = retina_anchors(stride, logits.size(3));
  const DeltaCoder coder = coder_of(convention);
  return {by_prior(logits, classes), {}, [=](std::int64_t prior) {
            // 0.x gives anchors the angle 0 in every convention, 1.x turns them into it.
            const Bounds bounds = anchors[prior];
            const Box anchor =
                anchors_of == Line::v0 ? box_of(bounds) : regular_box_of(bounds, convention);
            return decode_rotated(anchor, rows.const_data_ptr<float>() + 5 * prior, coder,
                                  convention, &size);
          }};
}

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::from_input, recognises, classes_of, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::mmrotate::rotated_retinanet
