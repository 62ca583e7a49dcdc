#include "models/graspnet_baseline/graspnet_baseline.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <string>

#include "models/grasp_postprocess.h"
#include "models/graspnet_baseline/decode.h"
#include "models/graspnet_baseline/network.h"
#include "models/input_points.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

struct Settings {
  std::int64_t num_points;
  PostprocessSettings postprocess;
};

void observe_decoded(const StageObserver& observe, const Decoded& decoded, const at::Tensor& kept) {
  if (!observe) return;
  observe("angle_cls", decoded.angle_class);
  observe("depth_cls", decoded.depth_class);
  observe("decoded_all", decoded.rows);
  observe("decoded", decoded.rows.index_select(0, kept));
  observe("decoded_seed", kept.to(at::kInt));
}

class GraspNetBaseline final : public GraspModel {
 public:
  GraspNetBaseline(const Settings& settings, const Weights& weights, const at::Device& device)
      : settings_(settings), network_(weights, device), device_(device) {}

  GraspOutput predict(const GraspInput& input, const StageObserver& observe) override;

 private:
  Settings settings_;
  Network network_;
  at::Device device_;
};

GraspOutput GraspNetBaseline::predict(const GraspInput& input, const StageObserver& observe) {
  const at::NoGradGuard no_grad;
  GraspOutput output;
  Accounting& accounting = output.accounting;
  StageStopwatch watch(accounting);
  const InputPoints seen = camera_frame_points(input, settings_.num_points, accounting);
  accounting.counts.emplace_back("sampled", seen.points.size(0));
  watch.lap("prepare");
  if (seen.points.size(0) == 0) return output;
  if (observe) {
    if (seen.sample.defined()) observe("sample_idx", seen.sample.to(at::kInt));
    observe("points", seen.points);
  }

  const NetworkOutput network = network_.forward(seen.points.to(device_), observe);
  const Decoded decoded =
      decode(network.seeds.xyz, network.views.objectness, network.chosen.approach, network.grasps);
  watch.lap("network");

  accounting.counts.emplace_back("seeds", decoded.rows.size(0));
  at::Tensor graspable = decoded.graspable;
  accounting.counts.emplace_back("graspable", graspable.sum().item<std::int64_t>());
  if (seen.mask.defined())
    graspable = graspable.logical_and(
        seen.mask.to(at::kBool).index_select(0, network.seeds.index.to(at::kCPU)));
  const at::Tensor kept = graspable.nonzero().squeeze(1);
  accounting.counts.emplace_back("grasps", kept.size(0));
  if (kept.size(0) == 0)
    accounting.warnings.emplace_back("decode: no seed is graspable" +
                                     std::string(seen.mask.defined() ? " on the object mask" : "") +
                                     ", so there is no grasp");
  observe_decoded(observe, decoded, kept);
  output.grasps = grasp_group(postprocess_grasps(decoded.rows.index_select(0, kept), seen.clouds,
                                                 settings_.postprocess, accounting)
                                  .rows);
  watch.lap("postprocess");
  return output;
}

}  // namespace

std::unique_ptr<GraspModel> load(const config::Config& config, const io::Checkpoint& checkpoint,
                                 const at::Device& device) {
  const Settings settings{config.integer("input.num_points"), postprocess_settings(config)};
  return std::make_unique<GraspNetBaseline>(settings, Weights(checkpoint.tensors), device);
}

}  // namespace grasppanda::models::graspnet_baseline
