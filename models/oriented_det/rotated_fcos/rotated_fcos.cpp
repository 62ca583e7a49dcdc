#include "models/oriented_det/rotated_fcos/rotated_fcos.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/backbones/dense_head.h"
#include "models/oriented_det/priors.h"

namespace grasppanda::models::oriented_det::rotated_fcos {

namespace {

constexpr std::size_t kMostPerLevel = 2000;
constexpr SuppressionLimits kLimits{.most_before = 0, .most = 3000};
const FcosHeadNames kHead{.towers = {.classes = "head.cls_convs.",
                                     .boxes = "head.reg_convs.",
                                     .convolution = ".conv",
                                     .norm = ".gn"},
                          .classes = "head.conv_cls",
                          .boxes = "head.conv_bbox",
                          .angle = "head.conv_angle",
                          .centerness = "head.conv_centerness",
                          .scales = "head.scales.",
                          .angle_scale = "head.scale_angle_module.scale"};

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, "head.conv_cls.weight", 15);
}

class FcosHeads final : public Heads {
 public:
  explicit FcosHeads(FcosHead head) : head_(std::move(head)) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override {
    std::vector<Candidate> candidates;
    std::int64_t points = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::int64_t stride =
          live_stride(passage.input, levels[i], passage.settings.strides[i]);
      const FcosOutput output = head_(levels[i], i, static_cast<double>(stride));
      const std::string number = std::to_string(i);
      passage.show("head.cls" + number, output.classes);
      passage.show("head.bbox" + number, output.boxes);
      passage.show("head.angle" + number, output.angle);
      passage.show("head.centerness" + number, output.centerness);
      points += add_level(output, stride, passage.settings.detect.score_threshold, candidates);
    }
    const auto count = [&](const char* name, std::int64_t value) {
      passage.accounting.counts.emplace_back(name, value);
    };
    count("points", points);
    count("above_threshold", static_cast<std::int64_t>(candidates.size()));
    SuppressionLimits limits = kLimits;
    limits.most = passage.settings.detect.max_detections.value_or(kLimits.most);
    std::vector<Candidate> kept = suppress(candidates, passage.settings.detect, limits);
    count("after_nms", static_cast<std::int64_t>(kept.size()));
    return kept;
  }

 private:
  struct Point {
    float score;
    std::int64_t place;
    std::int32_t label;
  };

  /// The best class of every point; the best points of the level, then the threshold.
  static std::int64_t add_level(const FcosOutput& output, std::int64_t stride, float threshold,
                                std::vector<Candidate>& candidates) {
    const std::int64_t classes = output.classes.size(1), columns = output.classes.size(3);
    const at::Tensor logits = by_prior(output.classes, classes);
    const at::Tensor centerness = by_prior(output.centerness, 1),
                     angles = by_prior(output.angle, 1);
    const at::Tensor distances = by_prior(output.boxes, 4);
    std::vector<Point> points;
    for (std::int64_t place = 0; place < logits.size(0); ++place) {
      const float* row = logits.const_data_ptr<float>() + place * classes;
      const float* best = std::max_element(row, row + classes);
      points.push_back({sigmoid(*best) * sigmoid(centerness.const_data_ptr<float>()[place]), place,
                        static_cast<std::int32_t>(best - row)});
    }
    if (points.size() > kMostPerLevel) {
      std::partial_sort(points.begin(), points.begin() + kMostPerLevel, points.end(),
                        [](const Point& a, const Point& b) {
                          return a.score != b.score ? a.score > b.score : a.place < b.place;
                        });
      points.resize(kMostPerLevel);
    }
    const auto step = static_cast<float>(stride);
    for (const Point& point : points) {
      if (!(point.score >= threshold)) continue;
      const float x = (static_cast<float>(point.place % columns) + 0.5F) * step;
      const float y = (static_cast<float>(point.place / columns) + 0.5F) * step;
      candidates.push_back(
          {decode_distances(x, y, distances.const_data_ptr<float>() + 4 * point.place,
                            angles.const_data_ptr<float>()[point.place]),
           point.score, point.label});
    }
    return logits.size(0);
  }

  FcosHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  return std::make_unique<FcosHeads>(FcosHead(source, kHead, classes_of(tensors)));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_trunk(tensors) && shape_of(tensors, "head.conv_angle.weight") != nullptr &&
         shape_of(tensors, "head.conv_centerness.weight") != nullptr;
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{
      ExtraLevels::from_input_rectified, 0, false, recognises, classes_of, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::oriented_det::rotated_fcos
