#include "models/backbones/sparse_unet.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/backbones/pointnet2.h"

namespace grasppanda::models {

namespace {

// Places in the workspace. The inputs of the decoder's blocks take one each, from kJoined on.
enum Slot : std::size_t { kHidden, kHalved, kValue, kResult, kJoined };

/// The channels behind the upsampled ones, where a level leaves what the decoder will join.
at::Tensor skipped(const at::Tensor& joined, std::int64_t upsampled) {
  return joined.narrow(1, upsampled, joined.size(1) - upsampled);
}

}  // namespace

SparseLevels sparse_levels(const at::Tensor& coords, const at::Device& device) {
  SparseLevels levels;
  levels.order = ops::curve_order(coords);
  levels.maps =
      ops::kernel_maps_on(device, coords.to(at::kCPU).index_select(0, levels.order), kUnetLevels);
  // On the device where the others lie.
  const at::TensorOptions place = levels.maps.coords[0].options().dtype(at::kLong);
  for (std::size_t i = 0; i <= kUnetLevels; ++i)
    levels.alone[i] = ops::pointwise_map(at::arange(levels.maps.coords[i].size(0), place));
  at::Tensor inner_row = at::empty_like(levels.order);
  inner_row.index_copy_(0, levels.order, at::arange(levels.order.size(0), at::kLong));
  levels.last = ops::pointwise_map(inner_row.to(place.device()));
  return levels;
}

at::Tensor SparseWorkspace::rows(std::size_t slot, std::int64_t count, std::int64_t channels,
                                 const at::TensorOptions& options) {
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  at::Tensor& held = slots_[slot];
  if (!held.defined() || held.numel() < count * channels || held.device() != options.device())
    held = at::empty({count * channels}, options);
  return held.narrow(0, 0, count * channels).view({count, channels});
}

SparseUnet::SparseUnet(const Weights& weights, const std::string& prefix, const at::Device& device,
                       BatchNormForm form)
    : device_(device), form_(form) {
  const UnetLayerNames first = unet_first();
  first_ = load_layer(weights, prefix, first);
  first_unfolded_ = ops::sparse_weights(weights(prefix + first.conv + ".kernel").to(device));
  for (int level = 0; level < kUnetLevels; ++level) {
    down_[static_cast<std::size_t>(level)] = load_layer(weights, prefix, unet_down(level));
    up_[static_cast<std::size_t>(level)] = load_layer(weights, prefix, unet_up(level));
  }
  for (int number = 1; number <= 2 * kUnetLevels; ++number)
    blocks_[static_cast<std::size_t>(number - 1)] = load_block(weights, prefix, number);
  last_ = ops::sparse_weights(weights(prefix + "final.kernel").to(device),
                              weights(prefix + "final.bias").to(device));
}

SparseUnet::Layer SparseUnet::load_layer(const Weights& weights, const std::string& prefix,
                                         const UnetLayerNames& names) const {
  const std::string norm = prefix + names.norm + ".bn";
  const BatchNorm stored =
      batch_norm(weights(norm + ".weight"), weights(norm + ".bias"),
                 weights(norm + ".running_mean"), weights(norm + ".running_var"));
  const at::Tensor kernel = weights(prefix + names.conv + ".kernel");
  const auto place = [this](const at::Tensor& value) { return value.to(device_, at::kFloat); };
  if (form_ == BatchNormForm::separate)
    return {names.conv, ops::sparse_weights(place(kernel)), place(stored.scale),
            place(stored.shift)};
  return {names.conv,
          ops::sparse_weights(place(kernel.to(at::kDouble) * stored.scale), place(stored.shift)),
          {},
          {}};
}

SparseUnet::Block SparseUnet::load_block(const Weights& weights, const std::string& prefix,
                                         int number) const {
  const std::string name = unet_block(number);
  Block block;
  block.first = load_layer(weights, prefix, {name + ".conv1", name + ".norm1"});
  block.second = load_layer(weights, prefix, {name + ".conv2", name + ".norm2"});
  block.has_shortcut = unet_block_in(number) != kUnetPlanes[static_cast<std::size_t>(number - 1)];
  if (block.has_shortcut)
    block.shortcut = load_layer(weights, prefix, {name + ".downsample.0", name + ".downsample.1"});
  return block;
}

void SparseUnet::run(const Layer& layer, const at::Tensor& feats, const ops::SharedKernelMap& map,
                     ops::SparseFusion fusion, at::Tensor out, const LayerObserver& observe,
                     const at::Tensor& where) const {
  if (!layer.scale.defined()) {
    ops::sparse_convolution_into(out, feats, layer.weights, map, fusion);
    return;
  }
  const at::Tensor raw = ops::sparse_convolution(feats, layer.weights, map);
  if (observe) observe(layer.name, raw, where);
  const at::Tensor normed = at::addcmul(layer.shift, raw, layer.scale);
  if (fusion.add) {
    out.add_(normed);
  } else {
    out.copy_(normed);
  }
  if (fusion.relu) out.relu_();
}

void SparseUnet::run_block(int number, const at::Tensor& feats, const SparseLevels& levels,
                           int level, at::Tensor out, SparseWorkspace& workspace,
                           const LayerObserver& observe) const {
  const Block& block = blocks_[static_cast<std::size_t>(number - 1)];
  const auto at = static_cast<std::size_t>(level);
  const at::Tensor& where = levels.maps.coords[at];
  const at::Tensor hidden = workspace.rows(kHidden, where.size(0), out.size(1), out.options());
  run(block.first, feats, levels.maps.around[at], {.relu = true}, hidden, {}, where);
  // The residual lies in `out` before the second convolution is added to it.
  if (block.has_shortcut) {
    run(block.shortcut, feats, levels.alone[at], {}, out, {}, where);
  } else {
    out.copy_(feats);
  }
  run(block.second, hidden, levels.maps.around[at], {.add = true, .relu = true}, out, {}, where);
  if (observe) observe("block" + std::to_string(number), out, where);
}

double SparseUnet::operations(const SparseLevels& levels) const {
  double products = 0;
  const auto add = [&](const ops::SparseWeights& weights, const ops::SharedKernelMap& map) {
    products += static_cast<double>(ops::pair_count(*map)) *
                static_cast<double>(weights.in_channels() * weights.out_channels());
  };
  const auto add_block = [&](const Block& block, std::size_t level) {
    add(block.first.weights, levels.maps.around[level]);
    add(block.second.weights, levels.maps.around[level]);
    if (block.has_shortcut) add(block.shortcut.weights, levels.alone[level]);
  };
  add(first_.weights, levels.maps.wide);
  for (std::size_t i = 0; i < kUnetLevels; ++i) {
    add(down_[i].weights, levels.maps.down[i]);
    add_block(blocks_[i], i + 1);
    const std::size_t up = kUnetLevels - 1 - i;
    add(up_[i].weights, levels.maps.up[up]);
    add_block(blocks_[kUnetLevels + i], up);
  }
  add(last_, levels.last);
  return 2 * products;
}

at::Tensor SparseUnet::forward(const SparseLevels& levels, const at::Tensor& feats,
                               SparseWorkspace& workspace, const LayerObserver& observe) const {
  const at::Tensor sorted = feats.index_select(0, levels.order.to(feats.device()));
  const auto count = [&](std::size_t level) { return levels.maps.coords[level].size(0); };
  const auto rows = [&](std::size_t slot, std::int64_t number, std::int64_t channels) {
    return workspace.rows(slot, number, channels, sorted.options());
  };
  // joined[i]: input of the decoder's block at stride 2^i; the encoder writes the channels behind.
  std::array<at::Tensor, kUnetLevels> joined;
  for (int i = 0; i < kUnetLevels; ++i)
    joined[static_cast<std::size_t>(i)] =
        rows(kJoined + static_cast<std::size_t>(i), count(static_cast<std::size_t>(i)),
             unet_block_in(2 * kUnetLevels - i));
  const auto upsampled = [](int level) {
    return kUnetPlanes[static_cast<std::size_t>(2 * kUnetLevels - 1 - level)];
  };

  if (observe && form_ == BatchNormForm::folded)
    observe(first_.name, ops::sparse_convolution(sorted, first_unfolded_, levels.maps.wide),
            levels.maps.coords[0]);
  at::Tensor value = skipped(joined[0], upsampled(0));
  run(first_, sorted, levels.maps.wide, {.relu = true}, value, observe, levels.maps.coords[0]);
  for (int i = 0; i < kUnetLevels; ++i) {
    const auto to = static_cast<std::size_t>(i + 1);
    const Layer& layer = down_[static_cast<std::size_t>(i)];
    const at::Tensor halved = rows(kHalved, count(to), layer.weights.out_channels());
    run(layer, value, levels.maps.down[to - 1], {.relu = true}, halved, observe,
        levels.maps.coords[to]);
    value = i + 1 < kUnetLevels ? skipped(joined[to], upsampled(i + 1))
                                : rows(kValue, count(to), kUnetPlanes[to - 1]);
    run_block(i + 1, halved, levels, i + 1, value, workspace, observe);
  }
  for (int i = kUnetLevels - 1; i >= 0; --i) {
    const auto to = static_cast<std::size_t>(i);
    const int step = kUnetLevels - 1 - i;
    run(up_[static_cast<std::size_t>(step)], value, levels.maps.up[to], {.relu = true},
        joined[to].narrow(1, 0, upsampled(i)), observe, levels.maps.coords[to]);
    value = rows(kValue, count(to), upsampled(i));  // the coarser one has been read
    run_block(kUnetLevels + 1 + step, joined[to], levels, i, value, workspace, observe);
  }
  const at::Tensor out = rows(kResult, count(0), kUnetOut);
  ops::sparse_convolution_into(out, value, last_, levels.last);
  return out;
}

}  // namespace grasppanda::models
