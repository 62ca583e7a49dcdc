#include "models/contact_graspnet/contact_graspnet.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "lib/geometry/camera.h"
#include "models/checkpoint_error.h"
#include "models/contact_graspnet/architecture.h"
#include "models/contact_graspnet/decode.h"
#include "models/contact_graspnet/network.h"
#include "models/contact_graspnet/preprocess.h"
#include "models/contact_graspnet/table_fit.h"
#include "models/grasp_postprocess.h"
#include "models/numpy_random.h"

namespace grasppanda::models::contact_graspnet {

namespace {

enum class Up { fit_table, camera, given };

struct Settings {
  std::int64_t num_points;
  Up up = Up::fit_table;
  geometry::Vec3 up_direction{};  // camera frame, for Up::given
  bool random_start;
  double gripper_width;
  Opening opening;
  float score_threshold;
  PostprocessSettings postprocess;
};

Settings read_settings(const config::Config& config) {
  Settings settings;
  settings.num_points = config.integer("input.num_points");
  if (config.is("model.up", "camera")) {
    settings.up = Up::camera;
  } else if (!config.is("model.up", "auto")) {
    const std::vector<double> up = config.numbers("model.up");
    settings.up = Up::given;
    settings.up_direction = {up.at(0), up.at(1), up.at(2)};
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

/// Seconds since the last call, by name.
class Stopwatch {
 public:
  explicit Stopwatch(Accounting& accounting) : accounting_(accounting) {}
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    accounting_.seconds.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Accounting& accounting_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// What the network gets, and how its frame lies in the camera's.
struct Prepared {
  at::Tensor points;   // (N, 3) float32, the network's frame; N = 0: nothing to do
  at::Tensor mask;     // (N,) bool, or undefined
  NetworkFrame frame;  // undefined tensors: the points' own frame
  SceneClouds clouds;
  bool own_frame() const { return !frame.rotation.defined(); }
};

at::Tensor finite_rows(const at::Tensor& points, const std::string& what, Accounting& accounting) {
  const at::Tensor rows = at::isfinite(points).all(1).nonzero().squeeze(1);
  if (rows.size(0) < points.size(0)) {
    accounting.warnings.emplace_back(what + ": dropped " +
                                     std::to_string(points.size(0) - rows.size(0)) +
                                     " points with NaN or infinite coordinates");
  }
  return rows;
}

void require_mask_size(const GraspInput& input, std::int64_t points) {
  if (!input.object_mask.defined() || input.object_mask.numel() == points) return;
  throw InputError("the object mask has " + std::to_string(input.object_mask.numel()) +
                   " values, the cloud " + std::to_string(points) + " points");
}

at::Tensor index_tensor(const std::vector<std::int64_t>& index) {
  return at::tensor(index, at::kLong);
}

/// Rows of the cloud that the network sees: the given ones, or a draw.
at::Tensor sample_rows(const GraspInput& input, const at::Tensor& finite, std::int64_t num_points) {
  if (!input.sample_index) {
    return finite.index_select(0,
                               index_tensor(sample_points(finite.size(0), num_points, input.seed)));
  }
  const std::int64_t n = input.cloud.size(0);
  for (const std::int64_t i : *input.sample_index) {
    if (i < 0 || i >= n) {
      throw InputError("the sample index holds " + std::to_string(i) + ", the cloud has " +
                       std::to_string(n) + " points");
    }
  }
  return index_tensor(*input.sample_index);
}

}  // namespace

class ContactGraspNet final : public GraspModel {
 public:
  ContactGraspNet(const Settings& settings, const Weights& weights, const at::Device& device)
      : settings_(settings), network_(weights, device), device_(device) {}

  GraspOutput predict(const GraspInput& input, const StageObserver& observe) override;

 private:
  Prepared given_points(const GraspInput& input, Accounting& accounting) const;
  Prepared prepare(const GraspInput& input, NumpyRandom& random, Accounting& accounting,
                   const StageObserver& observe) const;
  std::optional<at::Tensor> rotation(const at::Tensor& cloud, NumpyRandom& random,
                                     Accounting& accounting, const StageObserver& observe) const;
  /// Rows of the decoded grasps above the threshold, best first.
  at::Tensor select(const at::Tensor& confidence) const;
  void observe_grasps(const NetworkOutput& network, const Decoded& decoded,
                      const NetworkFrame& frame, const StageObserver& observe) const;

  Settings settings_;
  Network network_;
  at::Device device_;
};

Prepared ContactGraspNet::given_points(const GraspInput& input, Accounting& accounting) const {
  const at::Tensor given = input.network_points->to(at::kCPU, at::kFloat);
  require_mask_size(input, given.size(0));
  const at::Tensor rows = finite_rows(given, "points", accounting);
  Prepared prepared;
  prepared.points = given.index_select(0, rows);
  if (input.object_mask.defined()) prepared.mask = input.object_mask.index_select(0, rows);
  prepared.clouds = {prepared.points.to(at::kDouble), prepared.points};
  if (prepared.points.size(0) == 0) {
    accounting.warnings.emplace_back(
        "points: the file holds no usable point, so there is no grasp");
  }
  return prepared;
}

std::optional<at::Tensor> ContactGraspNet::rotation(const at::Tensor& cloud, NumpyRandom& random,
                                                    Accounting& accounting,
                                                    const StageObserver& observe) const {
  if (settings_.up == Up::camera) return at::eye(3, at::kDouble);
  if (settings_.up == Up::given) return rotation_from_up(settings_.up_direction);
  const std::optional<Table> table = fit_table(cloud, random);
  if (!table) {
    accounting.warnings.emplace_back(
        "table fit: the cloud has fewer than three distinct points, so there is no grasp");
    return std::nullopt;
  }
  if (observe) {
    const geometry::Vec3& n = table->normal;
    observe("plane", at::tensor({n[0], n[1], n[2], table->offset}, at::kDouble));
  }
  return rotation_from_up(table->normal);
}

Prepared ContactGraspNet::prepare(const GraspInput& input, NumpyRandom& random,
                                  Accounting& accounting, const StageObserver& observe) const {
  require_mask_size(input, input.cloud.size(0));
  Prepared prepared;
  prepared.points = at::empty({0, 3}, at::kFloat);
  const at::Tensor finite = finite_rows(input.cloud, "cloud", accounting);
  const at::Tensor cloud = input.cloud.index_select(0, finite);
  if (cloud.size(0) == 0) {
    accounting.warnings.emplace_back(
        "cloud: no point is left after the masks, so there is no grasp");
    return prepared;
  }
  const std::optional<at::Tensor> turn = rotation(cloud, random, accounting, observe);
  if (!turn) return prepared;
  at::Tensor sample = sample_rows(input, finite, settings_.num_points);
  if (input.sample_index) {
    const at::Tensor usable = at::isfinite(input.cloud.index_select(0, sample)).all(1);
    sample = sample.masked_select(usable);
  }
  const at::Tensor sampled = input.cloud.index_select(0, sample);
  if (sampled.size(0) == 0) {
    accounting.warnings.emplace_back("sampling: no point was taken, so there is no grasp");
    return prepared;
  }
  prepared.frame.rotation = *turn;
  prepared.points = to_network_frame(sampled, prepared.frame);
  if (input.object_mask.defined()) prepared.mask = input.object_mask.index_select(0, sample);
  prepared.clouds = {cloud, sampled.to(at::kFloat)};
  if (observe) {
    observe("sample_idx", sample.to(at::kInt));
    observe("table_from_camera_rotation", prepared.frame.rotation);
    observe("cloud_mean", prepared.frame.mean);
  }
  return prepared;
}

at::Tensor ContactGraspNet::select(const at::Tensor& confidence) const {
  // NaN is not above anything: such rows would be dropped further on anyway.
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
  Stopwatch watch(accounting);
  NumpyRandom random = second_generator(input.seed);
  const Prepared prepared = input.network_points ? given_points(input, accounting)
                                                 : prepare(input, random, accounting, observe);
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
