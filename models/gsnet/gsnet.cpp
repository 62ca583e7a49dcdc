#include "models/gsnet/gsnet.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <string>
#include <utility>

#include "models/grasp_postprocess.h"
#include "models/gsnet/decode.h"
#include "models/gsnet/network.h"
#include "models/gsnet/preprocess.h"
#include "models/gsnet/stages.h"
#include "models/stage_stopwatch.h"

namespace grasppanda::models::gsnet {

namespace {

struct Settings {
  PreprocessSettings preprocess;
  float graspness_threshold;
  std::int64_t seeds;
  BatchNormForm form;
  PostprocessSettings postprocess;
};

Settings read_settings(const config::Config& config) {
  return {.preprocess = {.num_points = config.integer("input.num_points"),
                         .voxel_size = config.number("model.voxel_size")},
          .graspness_threshold = static_cast<float>(config.number("model.graspness_threshold")),
          .seeds = config.integer("model.seeds"),
          .form = config.boolean("model.fold_batch_norm") ? BatchNormForm::folded
                                                          : BatchNormForm::separate,
          .postprocess = postprocess_settings(config)};
}

}  // namespace

class GSNet final : public GraspModel {
 public:
  GSNet(const Settings& settings, const Weights& weights, const at::Device& device)
      : settings_(settings), network_(weights, device, settings.form) {}

  GraspOutput predict(const GraspInput& input, const StageObserver& observe) override;

 private:
  /// Seeds and grasps: point number of each seed, and its row. No seed: nothing is graspable.
  struct Decoded {
    at::Tensor seed;  // (M,) int64, CPU
    at::Tensor rows;  // (M, 17) float32, CPU
  };
  Decoded infer(const Prepared& prepared, Accounting& accounting, const StageObserver& observe);

  Settings settings_;
  Network network_;
  ViewRotations rotations_;
  SparseWorkspace workspace_;
};

GSNet::Decoded GSNet::infer(const Prepared& prepared, Accounting& accounting,
                            const StageObserver& observe) {
  const SparseLevels levels = sparse_levels(prepared.coords, network_.device());
  const at::Tensor features = network_.voxel_features(
      levels, observe ? layer_stages(observe) : LayerObserver{}, &workspace_);
  const at::Tensor voxel_of = prepared.voxel_of.to(features.device());
  // Points of a voxel share its features, so the head looks at each voxel once.
  Graspable points = network_.graspable(features);
  points = {points.objectness.index_select(1, voxel_of),
            points.graspness.index_select(0, voxel_of)};
  const at::Tensor index = Network::graspable_index(points, settings_.graspness_threshold);
  accounting.counts.emplace_back("graspable", index.size(0));
  if (observe) {
    observe_coordinates(levels, observe);
    observe_points(features.index_select(0, voxel_of), points, index, observe);
  }
  if (index.size(0) == 0) {
    accounting.warnings.emplace_back(
        "graspable: no point has graspness above model.graspness_threshold on an object, so there "
        "is no grasp");
    return {index.to(at::kCPU), at::empty({0, 17}, at::kFloat)};
  }
  const at::Tensor candidates = prepared.points.to(network_.device()).index_select(0, index);
  Seeds seeds;
  seeds.pick = Network::sample(candidates, settings_.seeds);
  seeds.point = index.index_select(0, seeds.pick);
  seeds.xyz = candidates.index_select(0, seeds.pick);
  seeds.features = features.index_select(0, voxel_of.index_select(0, seeds.point));
  accounting.counts.emplace_back("seeds", seeds.point.size(0));

  const Views views = network_.views(seeds.features);
  const at::Tensor rotation = rotations_.upright(views.best);
  const CylinderGroups groups = Network::groups(seeds.xyz, rotation);
  const at::Tensor group_features = network_.crop(seeds.features + views.residual, groups);
  const Proposals proposals = network_.proposals(group_features);
  Decoded decoded{seeds.point.to(at::kCPU), decode(seeds.xyz, views.best, proposals, rotations_)};
  if (observe) {
    observe_seeds(seeds, views, rotations_, observe);
    observe_groups(groups, group_features, proposals, observe);
    observe_grasps(decoded.rows, prepared.clouds, settings_.postprocess, observe);
  }
  return decoded;
}

GraspOutput GSNet::predict(const GraspInput& input, const StageObserver& observe) {
  const at::NoGradGuard no_grad;
  GraspOutput output;
  Accounting& accounting = output.accounting;
  StageStopwatch watch(accounting);
  const Prepared prepared = prepare(input, settings_.preprocess, accounting, observe);
  watch.lap("prepare");
  if (prepared.points.size(0) == 0) return output;

  const Decoded decoded = infer(prepared, accounting, observe);
  watch.lap("network");

  at::Tensor rows = decoded.rows;
  if (prepared.mask.defined() && rows.size(0) > 0) {
    const at::Tensor on_object =
        prepared.mask.to(at::kCPU, at::kBool).index_select(0, decoded.seed);
    rows = rows.index_select(0, on_object.nonzero().squeeze(1));
    if (rows.size(0) == 0) {
      accounting.warnings.emplace_back(
          "decode: no grasp lies on the object mask, so there is no grasp");
    }
  }
  accounting.counts.emplace_back("grasps", rows.size(0));
  output.grasps = grasp_group(
      postprocess_grasps(rows, prepared.clouds, settings_.postprocess, accounting).rows);
  watch.lap("postprocess");
  return output;
}

std::unique_ptr<GraspModel> load(const config::Config& config, const io::Checkpoint& checkpoint,
                                 const at::Device& device) {
  return std::make_unique<GSNet>(read_settings(config), Weights(checkpoint.tensors), device);
}

}  // namespace grasppanda::models::gsnet
