#include "models/graspnet_baseline/checkpoint_names.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/graspnet_baseline/architecture.h"
#include "models/weights.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

const std::string kBackbone = "view_estimator.backbone.";

/// A layer of the shared MLPs; their norm sits two levels deep.
LayerNames shared_layer(const std::string& mlp, int layer) {
  const std::string prefix = mlp + ".layer" + std::to_string(layer);
  return {prefix + ".conv", prefix + ".bn.bn"};
}

/// A layer of a head: conv1, bn1, conv2, bn2, conv3.
LayerNames head_layer(const std::string& head, int layer) {
  const std::string number = std::to_string(layer + 1);
  return {head + ".conv" + number, layer < 2 ? head + ".bn" + number : std::string()};
}

class Names {
 public:
  /// A 1x1 convolution over (points, neighbours), without bias, and its norm.
  void shared(const LayerNames& names, std::int64_t in, std::int64_t out) {
    add(names.convolution + ".weight", {out, in, 1, 1});
    norm(names.norm, out);
  }
  /// A 1x1 convolution over points, with bias.
  void convolution(const LayerNames& names, std::int64_t in, std::int64_t out) {
    add(names.convolution + ".weight", {out, in, 1});
    add(names.convolution + ".bias", {out});
  }
  void norm(const std::string& prefix, std::int64_t channels) {
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"})
      add(prefix + part, {channels});
    add(prefix + ".num_batches_tracked", {});
  }
  void head(LayerNames (*layer)(int), std::int64_t in, std::int64_t hidden, std::int64_t out) {
    convolution(layer(0), in, hidden == 0 ? in : hidden);
    convolution(layer(1), hidden == 0 ? in : hidden, hidden == 0 ? out : hidden);
    convolution(layer(2), hidden == 0 ? out : hidden, out);
    norm(layer(0).norm, hidden == 0 ? in : hidden);
    norm(layer(1).norm, hidden == 0 ? out : hidden);
  }
  std::vector<ExpectedTensor> take() { return std::move(tensors_); }

 private:
  void add(std::string key, std::vector<std::int64_t> shape) {
    tensors_.push_back({std::move(key), std::move(shape)});
  }
  std::vector<ExpectedTensor> tensors_;
};

}  // namespace

LayerNames level_layer(int level, int layer) {
  return shared_layer(kBackbone + "sa" + std::to_string(level + 1) + ".mlp_module", layer);
}
LayerNames step_layer(int step, int layer) {
  return shared_layer(kBackbone + "fp" + std::to_string(step + 1) + ".mlp", layer);
}
LayerNames crop_layer(int layer) {
  return shared_layer("grasp_generator.crop.mlps", layer);
}
LayerNames view_layer(int layer) {
  return head_layer("view_estimator.vpmodule", layer);
}
LayerNames operation_layer(int layer) {
  return head_layer("grasp_generator.operation", layer);
}
LayerNames tolerance_layer(int layer) {
  return head_layer("grasp_generator.tolerance", layer);
}

std::vector<ExpectedTensor> expected_tensors(const config::Config*) {
  Names names;
  for (int level = 0; level < 4; ++level) {
    std::int64_t in = kLevels[level].in_channels + 3;
    for (int layer = 0; layer < 3; ++layer) {
      names.shared(level_layer(level, layer), in, kLevels[level].widths[layer]);
      in = kLevels[level].widths[layer];
    }
  }
  for (int step = 0; step < 2; ++step) {
    names.shared(step_layer(step, 0), kStepIn, kStepWidths[0]);
    names.shared(step_layer(step, 1), kStepWidths[0], kStepWidths[1]);
  }
  names.head(view_layer, kSeedChannels, 0, 2 + kViews);
  std::int64_t in = 3;
  for (int layer = 0; layer < 3; ++layer) {
    names.shared(crop_layer(layer), in, kCropWidths[layer]);
    in = kCropWidths[layer];
  }
  names.head(operation_layer, kCropWidths[2], kHeadHidden, 3 * kAngles);
  names.head(tolerance_layer, kCropWidths[2], kHeadHidden, kAngles);
  return names.take();
}

bool recognises(std::span<const io::NamedArray> tensors) {
  const auto has = [&](std::string_view key) {
    return std::ranges::any_of(
        tensors, [&](const io::NamedArray& tensor) { return bare_key(tensor.key) == key; });
  };
  return has("view_estimator.backbone.sa1.mlp_module.layer0.conv.weight") &&
         has("grasp_generator.operation.conv3.weight");
}

}  // namespace grasppanda::models::graspnet_baseline
