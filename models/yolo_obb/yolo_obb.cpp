#include "models/yolo_obb/yolo_obb.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lib/ops/rotated/rotated_nms.h"
#include "models/checkpoint_error.h"
#include "models/detector_settings.h"
#include "models/display_floor.h"
#include "models/yolo_obb/candidates.h"
#include "models/yolo_obb/checkpoint_names.h"
#include "models/yolo_obb/letterbox.h"
#include "models/yolo_obb/network.h"
#include "models/yolo_obb/probiou_nms.h"

namespace grasppanda::models::yolo_obb {

namespace {

constexpr std::int64_t kDefaultSize = 1024;     // of files that do not say theirs
constexpr std::int64_t kLargestSize = 1 << 13;  // pixels of a side that a file may ask for
constexpr std::int64_t kMostDetections = 300;

struct Settings {
  DetectSettings detect;
  Branch branch = Branch::one2many;
  std::int64_t size = kDefaultSize;
  std::int64_t max_detections = kMostDetections;
};

Settings read_settings(const config::Config& config, const StoredSettings& stored) {
  Settings settings{.detect = detect_settings(config)};
  if (config.is("detect.head", "one2one")) {
    if (!stored.net.two_branches()) {
      throw CheckpointError("detect.head: one2one wants YOLO26; " +
                            std::string(family_name(stored.net.family)) + " has one branch only");
    }
    settings.branch = Branch::one2one;
  }
  if (!config.is("input.size", "auto")) {
    settings.size = config.integer("input.size");
  } else if (stored.image_size > 0) {
    settings.size = std::min(stored.image_size, kLargestSize);
  }
  settings.max_detections = settings.detect.max_detections.value_or(kMostDetections);
  return settings;
}

/// Seconds since the last call, by name.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

at::Tensor rows_of(const std::vector<Candidate>& candidates, bool angle_last = false) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(candidates.size()), 7}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const Candidate& c : candidates) {
    const auto class_index = static_cast<float>(c.class_index);
    for (const float value : {c.cx, c.cy, c.w, c.h}) *to++ = value;
    *to++ = angle_last ? c.score : c.angle;
    *to++ = angle_last ? class_index : c.score;
    *to++ = angle_last ? c.angle : class_index;
  }
  return rows;
}

at::Tensor anchors_of(const std::vector<Candidate>& candidates) {
  at::Tensor anchors = at::empty({static_cast<std::int64_t>(candidates.size())}, at::kInt);
  auto* to = anchors.mutable_data_ptr<std::int32_t>();
  for (const Candidate& candidate : candidates) *to++ = candidate.anchor;
  return anchors;
}

/// Suppression by overlap, which the published models do not use but users may ask for.
std::vector<std::size_t> suppress_by_overlap(const std::vector<Candidate>& candidates,
                                             const Settings& settings) {
  const at::Tensor rows = rows_of(candidates);
  ops::RotatedNmsOptions options;
  options.iou_threshold = settings.detect.nms_iou;
  options.method = settings.detect.nms_method == SuppressionMethod::exact ? ops::IouMethod::exact
                                                                          : ops::IouMethod::sampled;
  options.max_detections = settings.max_detections;
  options.degenerate = ops::DegenerateBoxes::keep;
  const at::Tensor labels =
      settings.detect.class_agnostic ? at::Tensor() : rows.select(1, 6).to(at::kLong);
  const at::Tensor kept = ops::rotated_nms(rows.narrow(1, 0, 5).contiguous(),
                                           rows.select(1, 5).contiguous(), options, labels);
  std::vector<std::size_t> indices;
  for (std::int64_t i = 0; i < kept.size(0); ++i) {
    indices.push_back(static_cast<std::size_t>(kept[i].item<std::int64_t>()));
  }
  return indices;
}

class YoloObb final : public Detector {
 public:
  YoloObb(const Settings& settings, const StoredSettings& stored, const Weights& weights,
          DetectorInfo info, const at::Device& device)
      : settings_(settings),
        network_(weights, stored, settings.branch, device),
        info_(std::move(info)),
        device_(device) {}

  std::vector<DetectionOutput> detect(std::span<const at::Tensor> pictures,
                                      const StageObserver& observe, const TileProgress&) override;
  double scale(std::int64_t width, std::int64_t height) const override {
    const Letterbox box = letterbox(width, height, settings_.size);
    return static_cast<double>(std::max(box.width, box.height)) /
           static_cast<double>(std::max(width, height));
  }
  const DetectorInfo& info() const override { return info_; }

 private:
  /// Candidates that stay, best first, in pixels of the network's input.
  std::vector<Candidate> choose(const AnchorGrid& grid, Accounting& accounting,
                                const StageObserver& observe) const;

  Settings settings_;
  Network network_;
  DetectorInfo info_;
  at::Device device_;
};

std::vector<Candidate> YoloObb::choose(const AnchorGrid& grid, Accounting& accounting,
                                       const StageObserver& observe) const {
  const auto count = [&](const char* name, std::size_t value) {
    accounting.counts.emplace_back(name, static_cast<std::int64_t>(value));
  };
  const DetectSettings& detect = settings_.detect;
  count("anchors", static_cast<std::size_t>(grid.anchors()));
  std::vector<Candidate> chosen;
  if (settings_.branch == Branch::one2one) {
    const std::vector<Candidate> best =
        best_pairs(grid, std::max(settings_.max_detections, kMostDetections));
    if (observe) observe("top", rows_of(best, true));
    count("candidates", best.size());
    for (const Candidate& candidate : best) {
      if (candidate.score > detect.score_threshold) chosen.push_back(candidate);
    }
    count("above_threshold", chosen.size());
    if (static_cast<std::int64_t>(chosen.size()) > settings_.max_detections) {
      chosen.resize(static_cast<std::size_t>(settings_.max_detections));
    }
  } else {
    const std::vector<Candidate> candidates = select_candidates(
        grid, {.score_threshold = detect.score_threshold, .multi_label = detect.multi_label});
    if (observe) {
      observe("decoded", grid.all_decoded());
      observe("cand.anchor", anchors_of(candidates));
      observe("cand.rows", rows_of(candidates));
    }
    count("above_threshold", candidates.size());
    const std::vector<std::size_t> kept =
        detect.nms_method == SuppressionMethod::probiou
            ? suppress_by_probiou(candidates, {.iou = static_cast<float>(detect.nms_iou),
                                               .class_agnostic = detect.class_agnostic,
                                               .max_detections = settings_.max_detections})
            : suppress_by_overlap(candidates, settings_);
    for (const std::size_t index : kept) chosen.push_back(candidates[index]);
    count("after_nms", chosen.size());
  }
  drop_hidden(chosen, detect, &Candidate::class_index, accounting);
  return chosen;
}

std::vector<DetectionOutput> YoloObb::detect(std::span<const at::Tensor> pictures,
                                             const StageObserver& observe, const TileProgress&) {
  const at::NoGradGuard no_grad;
  Stopwatch watch;
  const Letterbox box =
      letterbox(pictures.front().size(1), pictures.front().size(0), settings_.size);
  std::vector<at::Tensor> boxed;
  for (const at::Tensor& picture : pictures) boxed.push_back(letterboxed(picture, box));
  const at::Tensor input = network_input(boxed);
  if (observe) observe("input", input);
  const auto share = 1.0 / static_cast<double>(pictures.size());
  const double prepare = watch.lap() * share;

  HeadOutput head = network_.forward(input.to(device_), observe);
  for (HeadLevel& level : head) {
    for (at::Tensor* part : {&level.boxes, &level.scores, &level.angle}) {
      *part = part->to(at::kCPU);
    }
  }
  const double network = watch.lap() * share;

  const BackToPicture back(box);
  std::vector<DetectionOutput> outputs(pictures.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    DetectionOutput& output = outputs[i];
    const AnchorGrid grid(head, static_cast<std::int64_t>(i), network_.net());
    if (observe) {
      observe("head.boxes", grid.all_boxes());
      observe("head.scores", grid.all_scores());
      observe("head.angle", grid.all_angles());
    }
    std::vector<Candidate> chosen = choose(grid, output.accounting, observe);
    for (Candidate& c : chosen) {
      c.cx = back.x(c.cx), c.cy = back.y(c.cy), c.w = back.w(c.w), c.h = back.h(c.h);
      // The one-to-one branch may answer a negative side: the same rectangle, written the other
      // way.
      output.detections.push_back(
          {.box = geometry::in_convention({c.cx, c.cy, std::abs(c.w), std::abs(c.h), c.angle},
                                          geometry::AngleConvention::le90),
           .score = c.score,
           .class_index = c.class_index});
    }
    if (observe) {
      observe("dets", rows_of(chosen));
      observe("dets.anchor", anchors_of(chosen));
    }
    output.figures = {{"resized", {box.width, box.height}},
                      {"border", {box.left, box.top, box.right, box.bottom}},
                      {"input", {box.input_width(), box.input_height()}}};
    output.accounting.seconds = {
        {"prepare", prepare}, {"network", network}, {"postprocess", watch.lap()}};
  }
  return outputs;
}

}  // namespace

std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device) {
  const StoredSettings stored = stored_settings(checkpoint, &config);
  const Settings settings = read_settings(config, stored);
  DetectorInfo info;
  info.classes = class_names(config, stored.classes, stored.net.classes);
  require_floors(settings.detect, stored.net.classes);
  info.facts = {{"family", std::string(family_name(stored.net.family))},
                {"scale", stored.net.scale},
                {"branch", settings.branch == Branch::one2one ? "one2one" : "one2many"},
                {"channels", "rgb"},
                {"input_size", std::to_string(settings.size)}};
  if (!stored.license.empty()) info.facts.emplace_back("weights_license", stored.license);
  return std::make_unique<YoloObb>(settings, stored, Weights(checkpoint.tensors), std::move(info),
                                   device);
}

}  // namespace grasppanda::models::yolo_obb
