#include "models/oriented_det/detection.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "models/display_floor.h"
#include "models/oriented_det/sliding_windows.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::oriented_det {

namespace {

std::string numbered(std::string name, std::size_t number) {
  name += std::to_string(number);
  return name;
}

std::string canvas_text(const Canvas& canvas) {
  const std::string width = std::to_string(canvas.width);
  return canvas.width == canvas.height ? width : width + " x " + std::to_string(canvas.height);
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
                                      const StageObserver& observe,
                                      const TileProgress& progress) override {
    const at::NoGradGuard no_grad;
    std::vector<DetectionOutput> outputs;
    for (const at::Tensor& picture : pictures) {
      outputs.push_back(detect_one(picture, observe, progress));
    }
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
    return placement(width, height, settings_.mode, settings_.canvas);
  }
  /// `fixed` and `crop` see larger pictures in windows, the others shrink them.
  bool needs_windows(std::int64_t width, std::int64_t height) const {
    const bool may = settings_.mode == ResizeMode::fixed || settings_.mode == ResizeMode::crop;
    return may && (width > settings_.canvas.width || height > settings_.canvas.height);
  }
  DetectionOutput detect_one(const at::Tensor& picture, const StageObserver& observe,
                             const TileProgress& progress) const;
  /// Of inputs of one size, which go through the backbone together.
  std::vector<Pyramid> pyramids(const std::vector<at::Tensor>& inputs,
                                const StageObserver& observe) const;
  std::vector<Candidate> find_in_windows(const at::Tensor& picture, DetectionOutput& output,
                                         StageStopwatch& watch, const TileProgress& progress) const;
  void take(std::vector<Candidate> found, DetectionOutput& output, const Placement& at) const;

  Settings settings_;
  Trunk trunk_;
  std::unique_ptr<Heads> heads_;
  DetectorInfo info_;
  at::Device device_;
};

std::vector<Pyramid> PackageDetector::pyramids(const std::vector<at::Tensor>& inputs,
                                               const StageObserver& observe) const {
  const at::Tensor together = inputs.size() == 1 ? inputs.front() : at::cat(inputs);
  const auto stages = trunk_.backbone.forward(together.to(device_));
  const Pyramid levels = trunk_.neck.forward(stages);
  if (observe) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      observe(numbered("body.layer", i + 1), stages[i]);
    }
    for (std::size_t i = 0; i < levels.size(); ++i) observe(numbered("fpn", i), levels[i]);
  }
  std::vector<Pyramid> result(inputs.size());
  for (std::size_t n = 0; n < result.size(); ++n) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      result[n][i] = levels[i].narrow(0, static_cast<std::int64_t>(n), 1);
    }
  }
  return result;
}

std::vector<Candidate> PackageDetector::find_in_windows(const at::Tensor& picture,
                                                        DetectionOutput& output,
                                                        StageStopwatch& watch,
                                                        const TileProgress& progress) const {
  const std::int64_t width = picture.size(1), height = picture.size(0);
  const auto windows = sliding_windows(width, height, settings_.canvas, settings_.overlap);
  std::vector<Candidate> all;
  std::map<std::string, std::int64_t> sums;
  const StageObserver none;
  for (std::size_t begin = 0; begin < windows.size(); begin += settings_.window_batch) {
    if (progress) progress(begin, windows.size());
    const std::size_t end = std::min(begin + settings_.window_batch, windows.size());
    std::vector<at::Tensor> inputs;
    for (std::size_t i = begin; i < end; ++i) {
      // A window is the canvas: nothing is padded.
      inputs.push_back(
          network_input(cut(picture, windows[i], settings_.canvas), settings_.normalization, 1));
    }
    watch.lap("prepare");
    const std::vector<Pyramid> levels = pyramids(inputs, none);
    for (std::size_t i = begin; i < end; ++i) {
      const SlidingWindow& window = windows[i];
      Accounting of_window;
      const std::vector<Candidate> found =
          heads_->find(levels[i - begin], {settings_, inputs[i - begin], of_window, none});
      add_window(found, window, {width, height, settings_.ignored_margin}, all);
      for (const auto& [name, count] : of_window.counts) sums[name] += count;
      output.tiles.push_back({{window.x, window.y, settings_.canvas.width, settings_.canvas.height},
                              std::move(of_window.counts)});
    }
    watch.lap("network");
  }
  // In the order in which a window counts them.
  for (const auto& [name, count] : output.tiles.front().counts) {
    output.accounting.counts.emplace_back(name, sums[name]);
  }
  output.accounting.counts.emplace_back("window_detections", static_cast<std::int64_t>(all.size()));
  // Joined by exact overlap within the classes, whatever the windows used.
  DetectSettings joining = settings_.detect;
  joining.nms_iou = settings_.merge_iou;
  joining.nms_method = SuppressionMethod::exact;
  joining.class_agnostic = false;
  std::vector<Candidate> joined =
      suppress(all, joining, {.most_before = 0, .most = std::numeric_limits<std::int64_t>::max()});
  output.accounting.counts.emplace_back("after_merge", static_cast<std::int64_t>(joined.size()));
  return joined;
}

void PackageDetector::take(std::vector<Candidate> found, DetectionOutput& output,
                           const Placement& at) const {
  drop_hidden(found, settings_.detect, &Candidate::label, output.accounting);
  for (const Candidate& c : found) {
    output.detections.push_back(
        {.box = geometry::in_convention(in_picture(c.box, at), geometry::AngleConvention::le90),
         .score = c.score,
         .class_index = c.label});
  }
}

DetectionOutput PackageDetector::detect_one(const at::Tensor& picture, const StageObserver& observe,
                                            const TileProgress& progress) const {
  DetectionOutput output;
  StageStopwatch watch(output.accounting);
  if (needs_windows(picture.size(1), picture.size(0))) {
    const Placement whole = placement(picture.size(1), picture.size(0), ResizeMode::crop,
                                      {picture.size(1), picture.size(0)});
    const std::int64_t side = settings_.canvas.width;
    output.figures = {{"tiling", {side, side - window_step(side, settings_.overlap)}},
                      {"input", {settings_.canvas.width, settings_.canvas.height}}};
    take(find_in_windows(picture, output, watch, progress), output, whole);
    watch.lap("postprocess");
    return output;
  }
  const Placement at = place(picture.size(1), picture.size(0));
  const at::Tensor canvas = on_canvas(picture, at);
  output.figures = {{"resized", {at.resized_width, at.resized_height}},
                    {"input", {canvas.size(1), canvas.size(0)}}};
  const Passage passage{settings_,
                        network_input(canvas, settings_.normalization, settings_.pad_divisor),
                        output.accounting, observe};
  passage.show("input", passage.input);
  watch.lap("prepare");
  std::vector<Candidate> found = heads_->find(pyramids({passage.input}, observe).front(), passage);
  watch.lap("network");
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
  const Settings settings = read_settings(blueprint, config, checkpoint, device);
  const Weights weights(tensors);
  LayerSource source(weights, device);
  Trunk trunk = make_trunk(source, tensors, blueprint.extra);
  DetectorInfo info;
  info.classes = settings.classes;
  info.facts = {{"family", "oriented_det"},
                {"backbone", backbone_name(tensors)},
                {"channels", "rgb"},
                {"input_size", canvas_text(settings.canvas)}};
  info.warnings = settings.warnings;
  return std::make_unique<PackageDetector>(
      settings, std::move(trunk), blueprint.heads(source, tensors), std::move(info), device);
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
