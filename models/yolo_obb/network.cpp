#include "models/yolo_obb/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace grasppanda::models::yolo_obb {

namespace {

at::Tensor in_sequence(const std::vector<Convolution>& convolutions, at::Tensor x) {
  for (const Convolution& convolution : convolutions) x = convolution(x);
  return x;
}

}  // namespace

Network::Network(const Weights& weights, const StoredSettings& settings, Branch branch,
                 const at::Device& device)
    : net_(settings.net) {
  const at::NoGradGuard no_grad;
  const Loader load(weights, settings, device);
  for (std::size_t i = 0; i < net_.layers.size(); ++i) {
    const Layer& layer = net_.layers[i];
    layers_.push_back(layer.block == Block::concat
                          ? nullptr
                          : load_block(load, "model." + std::to_string(i), layer));
  }
  const std::string prefix = net_.head() + (branch == Branch::one2one ? ".one2one_cv" : ".cv");
  for (std::size_t level = 0; level < 3; ++level) {
    const auto name = [&](int which, const std::string& rest) {
      return prefix + std::to_string(which) + "." + std::to_string(level) + rest;
    };
    HeadBranches& head = head_[level];
    const auto two_and_plain = [&](int which, std::vector<Convolution>& convolutions) {
      convolutions.push_back(load.conv(name(which, ".0")));
      convolutions.push_back(load.conv(name(which, ".1")));
      convolutions.push_back(load.plain(name(which, ".2")));
    };
    two_and_plain(2, head.boxes);
    two_and_plain(4, head.angle);
    if (net_.family == Family::yolov8) {
      two_and_plain(3, head.scores);
      continue;
    }
    for (const char* part : {".0", ".1"}) {
      head.scores.push_back(load.depthwise(name(3, std::string(part) + ".0")));
      head.scores.push_back(load.conv(name(3, std::string(part) + ".1")));
    }
    head.scores.push_back(load.plain(name(3, ".2")));
  }
}

at::Tensor Network::layer(std::size_t index, const at::Tensor& first,
                          const at::Tensor& second) const {
  const at::NoGradGuard no_grad;
  const BlockPointer& block = layers_.at(index);
  return block == nullptr ? at::cat({first, second}, 1) : block->run(first);
}

HeadOutput Network::head(const std::array<at::Tensor, 3>& levels) const {
  const at::NoGradGuard no_grad;
  HeadOutput output;
  for (std::size_t level = 0; level < 3; ++level) {
    const HeadBranches& head = head_[level];
    output[level] = {in_sequence(head.boxes, levels[level]),
                     in_sequence(head.scores, levels[level]),
                     in_sequence(head.angle, levels[level])};
  }
  return output;
}

HeadOutput Network::forward(const at::Tensor& input, const StageObserver& observe) const {
  const at::NoGradGuard no_grad;
  // An output is kept only as long as a later layer takes it.
  std::vector<std::size_t> last_use(net_.layers.size());
  for (std::size_t i = 0; i < net_.layers.size(); ++i) {
    last_use[i] = std::max(last_use[i], i + 1);
    if (net_.layers[i].from[1] >= 0) {
      last_use[static_cast<std::size_t>(net_.layers[i].from[1])] = i;
    }
  }
  for (const int level : net_.levels) last_use[static_cast<std::size_t>(level)] = layers_.size();
  std::vector<at::Tensor> outputs;
  at::Tensor x = input;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const int other = net_.layers[i].from[1];
    x = layer(i, x, other >= 0 ? outputs[static_cast<std::size_t>(other)] : at::Tensor());
    outputs.push_back(x);
    if (observe) observe(std::string("L").append(std::to_string(i)), x);
    for (std::size_t j = 0; j < i; ++j) {
      if (last_use[j] <= i) outputs[j].reset();
    }
  }
  std::array<at::Tensor, 3> levels;
  for (std::size_t level = 0; level < 3; ++level) {
    levels[level] = outputs[static_cast<std::size_t>(net_.levels[level])];
  }
  return head(levels);
}

}  // namespace grasppanda::models::yolo_obb
