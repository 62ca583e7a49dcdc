#include "models/mmrotate/rotated_fcos/rotated_fcos.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "models/backbones/dense_head.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_fcos {

namespace {

constexpr std::int64_t kFirstStride = 8;
const std::string kClasses = "bbox_head.conv_cls";
const std::string kAngleScale = "bbox_head.scale_angle.scale";

FcosHeadNames head_names(std::span<const io::NamedArray> tensors) {
  FcosHeadNames names{.towers = {.classes = "bbox_head.cls_convs.",
                                 .boxes = "bbox_head.reg_convs.",
                                 .convolution = ".conv",
                                 .norm = ".gn"},
                      .classes = kClasses,
                      .boxes = "bbox_head.conv_reg",
                      .angle = "bbox_head.conv_angle",
                      .centerness = "bbox_head.conv_centerness",
                      .scales = "bbox_head.scales.",
                      .angle_scale = kAngleScale};
  // Trained with scale_angle=False: the file holds no factor.
  if (!tensors.empty() && shape_of(tensors, kAngleScale) == nullptr) names.angle_scale.clear();
  return names;
}

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, kClasses + ".weight", 15);
}

class FcosHeads final : public Heads {
 public:
  explicit FcosHeads(FcosHead head) : head_(std::move(head)) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override {
    const Settings& settings = passage.settings;
    std::vector<Candidate> candidates;
    std::int64_t points = 0, stride = kFirstStride;
    for (std::size_t i = 0; i < levels.size(); ++i, stride *= 2) {
      const FcosOutput output = head_(levels[i], i, static_cast<double>(stride));
      const std::string number = std::to_string(i);
      passage.show("head.cls." + number, output.classes);
      passage.show("head.reg." + number, output.boxes);
      passage.show("head.angle." + number, output.angle);
      passage.show("head.ctr." + number, output.centerness);
      const DenseLevel level = level_of(output, stride, settings.angle);
      points += level.logits.size(0);
      add_candidates(level, settings.line, settings.detect.score_threshold, candidates);
    }
    passage.accounting.counts.emplace_back("points", points);
    for (Candidate& c : candidates) c.box = in_picture(c.box, passage.size, settings.line);
    return candidates;
  }

 private:
  FcosHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  return std::make_unique<FcosHeads>(FcosHead(source, head_names(tensors), classes_of(tensors)));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return shape_of(tensors, "bbox_head.conv_centerness.weight") != nullptr &&
         shape_of(tensors, "bbox_head.conv_angle.weight") != nullptr;
}

}  // namespace

DenseLevel level_of(const FcosOutput& output, std::int64_t stride, AngleConvention convention) {
  const std::int64_t columns = output.classes.size(3);
  const at::Tensor distances = by_prior(output.boxes, 4), angles = by_prior(output.angle, 1);
  const auto step = static_cast<float>(stride);
  return {by_prior(output.classes, output.classes.size(1)),
          by_prior(output.centerness, 1).flatten(), [=](std::int64_t prior) {
            const auto x = static_cast<float>(prior % columns);
            const auto y = static_cast<float>(prior / columns);
            return decode_distances((x + 0.5F) * step, (y + 0.5F) * step,
                                    distances.const_data_ptr<float>() + 4 * prior,
                                    angles.const_data_ptr<float>()[prior], convention);
          }};
}

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::from_output, recognises, classes_of, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::mmrotate::rotated_fcos
