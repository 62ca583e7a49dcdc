#include "models/mmrotate/detection.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

#include "models/display_floor.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::mmrotate {

namespace {

std::string numbered(std::string name, int number) {
  name += std::to_string(number);
  return name;
}

at::Tensor labels_of(const std::vector<Candidate>& candidates) {
  at::Tensor labels = at::empty({static_cast<std::int64_t>(candidates.size())}, at::kInt);
  auto* to = labels.mutable_data_ptr<std::int32_t>();
  for (const Candidate& candidate : candidates) *to++ = candidate.label;
  return labels;
}

DetectorInfo detector_info(const Settings& settings, std::span<const io::NamedArray> tensors) {
  DetectorInfo info;
  info.classes = settings.classes;
  info.fills_tiles = true;
  const auto told = [](std::string_view value, bool assumed) {
    return std::string(value) + (assumed ? " (assumed: the file does not say)" : "");
  };
  info.facts = {{"family", "mmrotate"},
                {"backbone", backbone_name(tensors)},
                {"line", told(line_name(settings.line), settings.line_assumed)},
                {"angle_version",
                 told(geometry::angle_convention_name(settings.angle), settings.angle_assumed)},
                {"channels", "rgb"},
                {"input_size", std::to_string(settings.side)}};
  if (settings.anchors != settings.line) {
    info.facts.emplace_back("anchors", std::string(line_name(settings.anchors)));
  }
  return info;
}

class PublishedDetector final : public Detector {
 public:
  PublishedDetector(const Settings& settings, Trunk trunk, std::unique_ptr<Heads> heads,
                    int first_level, DetectorInfo info, const at::Device& device)
      : settings_(settings),
        trunk_(std::move(trunk)),
        heads_(std::move(heads)),
        first_level_(first_level),
        info_(std::move(info)),
        device_(device) {}

  std::vector<DetectionOutput> detect(std::span<const at::Tensor> pictures,
                                      const StageObserver& observe, const TileProgress&) override {
    const at::NoGradGuard no_grad;
    std::vector<DetectionOutput> outputs;
    // One after the other: a picture keeps all cores busy, several would only cost memory.
    for (const at::Tensor& picture : pictures) outputs.push_back(detect_one(picture, observe));
    return outputs;
  }
  double scale(std::int64_t width, std::int64_t height) const override {
    const Resizing to = resizing(width, height, settings_.side);
    return static_cast<double>(std::max(to.resized_width, to.resized_height)) /
           static_cast<double>(std::max(width, height));
  }
  const DetectorInfo& info() const override { return info_; }

 private:
  DetectionOutput detect_one(const at::Tensor& picture, const StageObserver& observe) const;
  Pyramid pyramid(const at::Tensor& input, const Passage& passage) const;
  void take(std::vector<Candidate> chosen, const Passage& passage, DetectionOutput& output) const;

  Settings settings_;
  Trunk trunk_;
  std::unique_ptr<Heads> heads_;
  int first_level_;
  DetectorInfo info_;
  at::Device device_;
};

Pyramid PublishedDetector::pyramid(const at::Tensor& input, const Passage& passage) const {
  const auto stages = trunk_.backbone.forward(input.to(device_));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    passage.show(numbered("C", static_cast<int>(i) + 2), stages[i]);
  }
  const Pyramid levels = trunk_.neck.forward(stages);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    passage.show(numbered("P", static_cast<int>(i) + first_level_), levels[i]);
  }
  return levels;
}

void PublishedDetector::take(std::vector<Candidate> chosen, const Passage& passage,
                             DetectionOutput& output) const {
  drop_hidden(chosen, settings_.detect, &Candidate::label, output.accounting);
  for (const Candidate& c : chosen) {
    const geometry::RotatedBox box{c.box.cx, c.box.cy, c.box.w, c.box.h, c.box.angle};
    output.detections.push_back(
        {.box = geometry::in_convention(box, geometry::AngleConvention::le90),
         .score = c.score,
         .class_index = c.label});
  }
  if (!passage.observe) return;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Candidate& a, const Candidate& b) { return a.label < b.label; });
  passage.observe("dets", rows_of(chosen));
  passage.observe("labels", labels_of(chosen));
}

DetectionOutput PublishedDetector::detect_one(const at::Tensor& picture,
                                              const StageObserver& observe) const {
  DetectionOutput output;
  StageStopwatch watch(output.accounting);
  const Passage passage{settings_, resizing(picture.size(1), picture.size(0), settings_.side),
                        output.accounting, observe};
  const at::Tensor input = network_input(picture, passage.size);
  passage.show("input", input);
  output.figures = {{"resized", {passage.size.resized_width, passage.size.resized_height}},
                    {"input", {passage.size.padded_width, passage.size.padded_height}}};
  watch.lap("prepare");
  const Pyramid levels = pyramid(input, passage);
  const std::vector<Candidate> candidates = heads_->find(levels, passage);
  watch.lap("network");
  const auto count = [&](const char* name, std::size_t value) {
    output.accounting.counts.emplace_back(name, static_cast<std::int64_t>(value));
  };
  count("above_threshold", candidates.size());
  std::vector<Candidate> chosen = suppress(candidates, settings_.detect);
  count("after_nms", chosen.size());
  take(std::move(chosen), passage, output);
  watch.lap("postprocess");
  return output;
}

}  // namespace

std::vector<ExpectedTensor> expected_of(const Blueprint& blueprint,
                                        std::span<const io::NamedArray> tensors) {
  LayerSource source;
  make_trunk(source, tensors, blueprint.extra);
  blueprint.heads(source, tensors);
  return with_leftovers(source, tensors);
}

std::unique_ptr<Detector> load_detector(const Blueprint& blueprint, const config::Config& config,
                                        const io::Checkpoint& checkpoint,
                                        const at::Device& device) {
  const std::span<const io::NamedArray> tensors = checkpoint.tensors;
  const Settings settings = read_settings(config, checkpoint, blueprint.classes(tensors));
  const Weights weights(tensors);
  LayerSource source(weights, device);
  Trunk trunk = make_trunk(source, tensors, blueprint.extra);
  return std::make_unique<PublishedDetector>(
      settings, std::move(trunk), blueprint.heads(source, tensors),
      blueprint.extra == ExtraLevels::pooled ? 2 : 3, detector_info(settings, tensors), device);
}

at::Tensor rows_of(const std::vector<Candidate>& candidates) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(candidates.size()), 6}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const Candidate& c : candidates) {
    for (const float value : {c.box.cx, c.box.cy, c.box.w, c.box.h, c.box.angle, c.score}) {
      *to++ = value;
    }
  }
  return rows;
}

}  // namespace grasppanda::models::mmrotate
