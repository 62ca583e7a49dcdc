#include "models/oriented_det/detection.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/oriented_det/sliding_windows.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::oriented_det {

namespace {

std::string numbered(std::string name, std::size_t number) {
  name += std::to_string(number);
  return name;
}

/// Back to the picture. `fixed` scales the sides by their own factors and leaves the angle, which
/// is no true inverse where the factors differ; the published numbers are made so.
geometry::RotatedBox in_picture(const Box& box, const Placement& at) {
  const auto x = [&](double value) {
    return (value - static_cast<double>(at.pad_left)) / at.scale_x +
           static_cast<double>(at.crop_left);
  };
  const auto y = [&](double value) {
    return (value - static_cast<double>(at.pad_top)) / at.scale_y +
           static_cast<double>(at.crop_top);
  };
  return {x(box.cx), y(box.cy), box.w / at.scale_x, box.h / at.scale_y, box.angle};
}

class PackageDetector final : public Detector {
 public:
  PackageDetector(const Settings& settings, Trunk trunk, std::unique_ptr<Heads> heads,
                  DetectorInfo info, const at::Device& device)
      : settings_(settings),
        trunk_(std::move(trunk)),
        heads_(std::move(heads)),
        info_(std::move(info)),
        device_(device) {}

  std::vector<DetectionOutput> detect(std::span<const at::Tensor> pictures,
                                      const StageObserver& observe) override {
    const at::NoGradGuard no_grad;
    std::vector<DetectionOutput> outputs;
    for (const at::Tensor& picture : pictures) outputs.push_back(detect_one(picture, observe));
    return outputs;
  }
  double scale(std::int64_t width, std::int64_t height) const override {
    if (needs_windows(width, height)) return 1;
    const Placement at = place(width, height);
    return std::min(at.scale_x, at.scale_y);
  }
  const DetectorInfo& info() const override { return info_; }

 private:
  Placement place(std::int64_t width, std::int64_t height) const {
    return placement(width, height, settings_.mode, {settings_.side, settings_.side});
  }
  /// `fixed` and `crop` see larger pictures in windows, the others shrink them.
  bool needs_windows(std::int64_t width, std::int64_t height) const {
    const bool may = settings_.mode == ResizeMode::fixed || settings_.mode == ResizeMode::crop;
    return may && std::max(width, height) > settings_.side;
  }
  DetectionOutput detect_one(const at::Tensor& picture, const StageObserver& observe) const;
  /// Detections on a canvas, in its pixels.
  std::vector<Candidate> find(const at::Tensor& canvas, DetectionOutput& output,
                              StageStopwatch& watch, const StageObserver& observe) const;
  std::vector<Candidate> find_in_windows(const at::Tensor& picture, DetectionOutput& output,
                                         StageStopwatch& watch) const;
  void take(std::vector<Candidate> found, DetectionOutput& output, const Placement& at) const;

  Settings settings_;
  Trunk trunk_;
  std::unique_ptr<Heads> heads_;
  DetectorInfo info_;
  at::Device device_;
};

std::vector<Candidate> PackageDetector::find(const at::Tensor& canvas, DetectionOutput& output,
                                             StageStopwatch& watch,
                                             const StageObserver& observe) const {
  const Passage passage{settings_, network_input(canvas, settings_.normalization),
                        output.accounting, observe};
  passage.show("input", passage.input);
  watch.lap("prepare");
  const auto stages = trunk_.backbone.forward(passage.input.to(device_));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    passage.show(numbered("body.layer", i + 1), stages[i]);
  }
  const Pyramid levels = trunk_.neck.forward(stages);
  for (std::size_t i = 0; i < levels.size(); ++i) passage.show(numbered("fpn", i), levels[i]);
  std::vector<Candidate> found = heads_->find(levels, passage);
  watch.lap("network");
  return found;
}

std::vector<Candidate> PackageDetector::find_in_windows(const at::Tensor& picture,
                                                        DetectionOutput& output,
                                                        StageStopwatch& watch) const {
  const auto windows =
      sliding_windows(picture.size(1), picture.size(0), settings_.side, settings_.overlap);
  std::vector<Candidate> all;
  DetectionOutput of_window;
  for (const SlidingWindow& window : windows) {
    const at::Tensor pixels = cut(picture, window, settings_.side);
    add_window(find(pixels, of_window, watch, {}), window, all);
    output.figures.push_back({"window", {window.x, window.y, window.width, window.height}});
  }
  output.accounting.counts.emplace_back("windows", static_cast<std::int64_t>(windows.size()));
  output.accounting.counts.emplace_back("window_detections", static_cast<std::int64_t>(all.size()));
  // Joined by exact overlap, whatever the windows used.
  DetectSettings joining = settings_.detect;
  joining.nms_iou = settings_.merge_iou;
  joining.nms_method = SuppressionMethod::exact;
  std::vector<Candidate> joined =
      suppress(all, joining, {.most_before = 0, .most = std::numeric_limits<std::int64_t>::max()});
  output.accounting.counts.emplace_back("after_merge", static_cast<std::int64_t>(joined.size()));
  return joined;
}

void PackageDetector::take(std::vector<Candidate> found, DetectionOutput& output,
                           const Placement& at) const {
  const float floor = settings_.detect.display_threshold;
  if (floor > 0) {
    std::erase_if(found, [&](const Candidate& c) { return !(c.score >= floor); });
    output.accounting.counts.emplace_back("above_display_threshold",
                                          static_cast<std::int64_t>(found.size()));
  }
  for (const Candidate& c : found) {
    output.detections.push_back(
        {.box = geometry::in_convention(in_picture(c.box, at), geometry::AngleConvention::le90),
         .score = c.score,
         .class_index = c.label});
  }
}

DetectionOutput PackageDetector::detect_one(const at::Tensor& picture,
                                            const StageObserver& observe) const {
  DetectionOutput output;
  StageStopwatch watch(output.accounting);
  if (needs_windows(picture.size(1), picture.size(0))) {
    const Placement whole = placement(picture.size(1), picture.size(0), ResizeMode::crop,
                                      {picture.size(1), picture.size(0)});
    take(find_in_windows(picture, output, watch), output, whole);
    watch.lap("postprocess");
    return output;
  }
  const Placement at = place(picture.size(1), picture.size(0));
  const at::Tensor canvas = on_canvas(picture, at);
  output.figures = {{"resized", {at.resized_width, at.resized_height}},
                    {"input", {canvas.size(1), canvas.size(0)}}};
  std::vector<Candidate> found = find(canvas, output, watch, observe);
  if (observe) {
    observe("det_boxes", boxes_of(found));
    observe("det_scores", scores_of(found));
    observe("det_labels", labels_of(found));
  }
  take(std::move(found), output, at);
  watch.lap("postprocess");
  return output;
}

}  // namespace

std::vector<ExpectedTensor> expected_of(const Blueprint& blueprint,
                                        std::span<const io::NamedArray> tensors) {
  LayerSource source;
  make_trunk(source, tensors, blueprint.extra);
  blueprint.heads(source, tensors);
  return source.wanted();
}

std::unique_ptr<Detector> load_detector(const Blueprint& blueprint, const config::Config& config,
                                        const io::Checkpoint& checkpoint,
                                        const at::Device& device) {
  const std::span<const io::NamedArray> tensors = checkpoint.tensors;
  const Settings settings = read_settings(blueprint, config, checkpoint);
  const Weights weights(tensors);
  LayerSource source(weights, device);
  Trunk trunk = make_trunk(source, tensors, blueprint.extra);
  DetectorInfo info;
  info.classes = settings.classes;
  info.facts = {{"family", "oriented_det"},
                {"backbone", backbone_name(tensors)},
                {"channels", "rgb"},
                {"input_size", std::to_string(settings.side)}};
  return std::make_unique<PackageDetector>(
      settings, std::move(trunk), blueprint.heads(source, tensors), std::move(info), device);
}

at::Tensor by_prior(const at::Tensor& map, std::int64_t width) {
  return map.select(0, 0).permute({1, 2, 0}).to(at::kCPU).contiguous().view({-1, width});
}

at::Tensor boxes_of(const std::vector<Candidate>& candidates) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(candidates.size()), 5}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const Candidate& c : candidates) {
    for (const float value : {c.box.cx, c.box.cy, c.box.w, c.box.h, c.box.angle}) *to++ = value;
  }
  return rows;
}

at::Tensor scores_of(const std::vector<Candidate>& candidates) {
  at::Tensor scores = at::empty({static_cast<std::int64_t>(candidates.size())}, at::kFloat);
  auto* to = scores.mutable_data_ptr<float>();
  for (const Candidate& c : candidates) *to++ = c.score;
  return scores;
}

at::Tensor labels_of(const std::vector<Candidate>& candidates) {
  at::Tensor labels = at::empty({static_cast<std::int64_t>(candidates.size())}, at::kLong);
  auto* to = labels.mutable_data_ptr<std::int64_t>();
  for (const Candidate& c : candidates) *to++ = c.label + 1;
  return labels;
}

}  // namespace grasppanda::models::oriented_det
