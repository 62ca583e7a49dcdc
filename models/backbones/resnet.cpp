#include "models/backbones/resnet.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace grasppanda::models {

namespace {

constexpr std::array<std::int64_t, 4> kWidths = {64, 128, 256, 512};
constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kMostBlocks = 200;

struct Named {
  const char* name;
  ResNetShape shape;
};
constexpr Named kNamed[] = {{"resnet18", {{2, 2, 2, 2}, false}},
                            {"resnet34", {{3, 4, 6, 3}, false}},
                            {"resnet50", {{3, 4, 6, 3}, true}},
                            {"resnet101", {{3, 4, 23, 3}, true}},
                            {"resnet152", {{3, 8, 36, 3}, true}}};

std::string block_name(const std::string& prefix, std::size_t stage, std::int64_t block) {
  return prefix + "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
}

/// `sum` becomes max(0, sum + other): one pass over both, where the sizes are far beyond the cache.
void add_and_rectify(at::Tensor& sum, const at::Tensor& other) {
  const bool plain = sum.is_cpu() && sum.scalar_type() == at::kFloat &&
                     other.scalar_type() == at::kFloat && sum.sizes() == other.sizes() &&
                     sum.strides() == other.strides() && sum.is_non_overlapping_and_dense();
  if (!plain) {
    sum.add_(other).relu_();
    return;
  }
  auto* to = sum.mutable_data_ptr<float>();
  const auto* from = other.const_data_ptr<float>();
  at::parallel_for(0, sum.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float value = to[i] + from[i];
      to[i] = value < 0 ? 0 : value;  // NaN stays
    }
  });
}

}  // namespace

std::array<std::int64_t, 4> ResNetShape::channels() const {
  std::array<std::int64_t, 4> channels = kWidths;
  for (std::int64_t& width : channels) width *= bottleneck ? kExpansion : 1;
  return channels;
}

std::string ResNetShape::name() const {
  for (const Named& named : kNamed) {
    if (named.shape.blocks == blocks && named.shape.bottleneck == bottleneck) return named.name;
  }
  return "resnet";
}

ResNetShape told_resnet(const ResNetNames& names, std::span<const io::NamedArray> tensors) {
  if (shape_of(tensors, block_name(names.prefix, 0, 0) + ".conv1.weight") == nullptr) return {};
  ResNetShape shape;
  shape.bottleneck = shape_of(tensors, block_name(names.prefix, 0, 0) + ".conv3.weight") != nullptr;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    std::int64_t& count = shape.blocks[stage] = 0;
    while (count < kMostBlocks &&
           shape_of(tensors, block_name(names.prefix, stage, count) + ".conv1.weight") != nullptr) {
      ++count;
    }
    count = std::max<std::int64_t>(count, 1);
  }
  return shape;
}

ResNet::ResNet(LayerSource& source, const ResNetNames& names, const ResNetShape& shape) {
  const bool counted = names.counted_norms;
  stem_ = source.normalized(names.prefix + "conv1", names.prefix + "bn1",
                            {.in = 3, .out = kWidths[0], .kernel = 7, .stride = 2},
                            Activation::relu, counted);
  std::int64_t in = kWidths[0];
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::int64_t width = kWidths[stage], out = shape.channels()[stage];
    for (std::int64_t b = 0; b < shape.blocks[stage]; ++b) {
      const std::string name = block_name(names.prefix, stage, b);
      const std::int64_t stride = stage > 0 && b == 0 ? 2 : 1;
      const auto layer = [&](int number, const LayerShape& of, Activation activation) {
        const std::string n = std::to_string(number);
        return source.normalized(name + ".conv" + n, name + ".bn" + n, of, activation, counted);
      };
      Block block;
      if (shape.bottleneck) {
        block.path.push_back(layer(1, {.in = in, .out = width}, Activation::relu));
        block.path.push_back(
            layer(2, {.in = width, .out = width, .kernel = 3, .stride = stride}, Activation::relu));
        block.path.push_back(layer(3, {.in = width, .out = out}, Activation::none));
      } else {
        block.path.push_back(
            layer(1, {.in = in, .out = width, .kernel = 3, .stride = stride}, Activation::relu));
        block.path.push_back(layer(2, {.in = width, .out = out, .kernel = 3}, Activation::none));
      }
      if (stride != 1 || in != out) {
        block.shortcut = source.normalized(name + ".downsample.0", name + ".downsample.1",
                                           {.in = in, .out = out, .kernel = 1, .stride = stride},
                                           Activation::none, counted);
      }
      stages_[stage].push_back(std::move(block));
      in = out;
    }
  }
}

std::array<at::Tensor, 4> ResNet::forward(const at::Tensor& input) const {
  at::Tensor x = at::max_pool2d(stem_(input), {3, 3}, {2, 2}, {1, 1});
  std::array<at::Tensor, 4> outputs;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    for (const Block& block : stages_[stage]) {
      at::Tensor y = x;
      for (const Convolution& layer : block.path) y = layer(y);
      add_and_rectify(y, block.shortcut ? (*block.shortcut)(x) : x);
      x = y;
    }
    outputs[stage] = x;
  }
  return outputs;
}

}  // namespace grasppanda::models
