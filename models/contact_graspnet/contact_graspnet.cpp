#include "models/contact_graspnet/contact_graspnet.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <array>
#include <string>
#include <utility>

#include "models/contact_graspnet/architecture.h"
#include "models/contact_graspnet/decode.h"
#include "models/contact_graspnet/network.h"
#include "models/contact_graspnet/preprocess.h"
#include "models/grasp_postprocess.h"
#include "models/numpy_random.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::contact_graspnet {

namespace {

struct Settings {
  PreprocessSettings preprocess;
  bool random_start;
  double gripper_width;
  Opening opening;
  float score_threshold;
  PostprocessSettings postprocess;
};

Settings read_settings(const config::Config& config) {
  Settings settings;
  settings.preprocess.num_points = config.integer("input.num_points");
  if (config.is("model.up", "camera")) {
    settings.preprocess.up = Up::camera;
  } else if (!config.is("model.up", "auto")) {
    const std::vector<double> up = config.numbers("model.up");
    settings.preprocess.up = Up::given;
    settings.preprocess.up_direction = {up.at(0), up.at(1), up.at(2)};
  }
  settings.random_start = config.text("model.fps_start") == "random";
  settings.gripper_width = config.number("model.gripper_width");
  const std::string opening = config.text("model.opening");
  settings.opening = opening == "predicted"   ? Opening::predicted
                     : opening == "magnitude" ? Opening::magnitude
                                              : Opening::full;
  settings.score_threshold = static_cast<float>(config.number("model.score_threshold"));
  settings.postprocess = postprocess_settings(config);
  return settings;
}

}  // namespace

class ContactGraspNet final : public GraspModel {
 public:
  ContactGraspNet(const Settings& settings, const Weights& weights, const at::Device& device)
      : settings_(settings), network_(weights, device), device_(device) {}

  GraspOutput predict(const GraspInput& input, const StageObserver& observe) override;

 private:
  /// Rows of the decoded grasps above the threshold, best first.
  at::Tensor select(const at::Tensor& confidence) const;
  void observe_grasps(const NetworkOutput& network, const Decoded& decoded,
                      const NetworkFrame& frame, const StageObserver& observe) const;

  Settings settings_;
  Network network_;
  at::Device device_;
};

at::Tensor ContactGraspNet::select(const at::Tensor& confidence) const {
  const at::Tensor kept = (confidence > settings_.score_threshold).nonzero().squeeze(1);
  const at::Tensor order = std::get<1>(at::sort(confidence.index_select(0, kept), /*stable=*/true,
                                                /*dim=*/0, /*descending=*/true));
  return kept.index_select(0, order);
}

void ContactGraspNet::observe_grasps(const NetworkOutput& network, const Decoded& decoded,
                                     const NetworkFrame& frame,
                                     const StageObserver& observe) const {
  observe("confidence", decoded.confidence);
  observe("width", decoded.width);
  observe("grasps", decoded.poses);
  const at::Tensor rows = grasp_rows(decoded, Opening::predicted);
  observe("grasps17", rows);
  if (frame.rotation.defined()) observe("grasps17_camera", to_camera_frame(rows, frame));
  const Decoded wide = decode(network.centres, network.heads, 0.16);
  observe("width_gw016", wide.width);
  observe("grasps_gw016", wide.poses);
  observe("grasps17_gw016", grasp_rows(wide, Opening::predicted));
  observe("kept_threshold_050", (decoded.confidence > 0.5).nonzero().squeeze(1).to(at::kInt));
}

GraspOutput ContactGraspNet::predict(const GraspInput& input, const StageObserver& observe) {
  const at::NoGradGuard no_grad;
  GraspOutput output;
  Accounting& accounting = output.accounting;
  StageStopwatch watch(accounting);
  NumpyRandom random = second_generator(input.seed);
  const Prepared prepared = prepare(input, settings_.preprocess, random, accounting, observe);
  const std::int64_t points = prepared.points.size(0);
  accounting.counts.emplace_back("sampled", points);
  if (points == 0) {
    watch.lap("prepare");
    return output;
  }
  if (observe) observe("points", prepared.points);
  std::array<std::int64_t, 3> starts{};
  if (settings_.random_start) {
    const std::array<std::int64_t, 3> sources = {points, kLevels[0].centres, kLevels[1].centres};
    for (std::size_t level = 0; level < 3; ++level) {
      starts[level] =
          static_cast<std::int64_t>(random.draw(static_cast<std::uint64_t>(sources[level]) - 1));
    }
  }
  watch.lap("prepare");

  const NetworkOutput network = network_.forward(prepared.points.to(device_), starts, observe);
  const Decoded decoded = decode(network.centres, network.heads, settings_.gripper_width);
  if (observe) observe_grasps(network, decoded, prepared.frame, observe);
  watch.lap("network");

  const std::int64_t centres = decoded.confidence.size(0);
  if (const auto bad = at::isnan(decoded.confidence).sum().item<std::int64_t>(); bad > 0) {
    accounting.warnings.emplace_back("network: dropped " + std::to_string(bad) + " of " +
                                     std::to_string(centres) + " grasps whose confidence is NaN");
  }
  accounting.counts.emplace_back("seeds", centres);
  at::Tensor confidence = decoded.confidence;
  if (prepared.mask.defined()) {
    confidence = confidence * prepared.mask.to(at::kBool)
                                  .index_select(0, network.centre_index.to(at::kCPU))
                                  .to(at::kFloat);
  }
  const at::Tensor best = select(confidence);
  accounting.counts.emplace_back("grasps", best.size(0));
  if (best.size(0) == 0) {
    accounting.warnings.emplace_back(
        "decode: no confidence above model.score_threshold" +
        std::string(prepared.mask.defined() ? " on the object mask" : "") +
        ", so there is no grasp");
  }
  at::Tensor rows = grasp_rows(decoded, settings_.opening).index_select(0, best);
  if (!prepared.own_frame()) rows = to_camera_frame(rows, prepared.frame);
  const KeptGrasps kept =
      postprocess_grasps(rows, prepared.clouds, settings_.postprocess, accounting);
  output.grasps = grasp_group(kept.rows);
  const at::Tensor width =
      decoded.width.index_select(0, best).index_select(0, kept.index).contiguous();
  output.extra.emplace_back("width_predicted",
                            std::vector<float>(width.const_data_ptr<float>(),
                                               width.const_data_ptr<float>() + width.numel()));
  watch.lap("postprocess");
  return output;
}

std::unique_ptr<GraspModel> load(const config::Config& config, const io::Checkpoint& checkpoint,
                                 const at::Device& device) {
  return std::make_unique<ContactGraspNet>(read_settings(config), Weights(checkpoint.tensors),
                                           device);
}

}  // namespace grasppanda::models::contact_graspnet
