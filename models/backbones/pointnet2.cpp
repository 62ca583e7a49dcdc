#include "models/backbones/pointnet2.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "lib/ops/point/three_interpolate.h"

namespace grasppanda::models {

namespace {

// Groups worked together. 16 groups of 65 messages and 128 channels are half a megabyte a
// layer: input and output of a product stay in the second-level cache.
constexpr std::int64_t kGroupsPerBlock = 16;

at::Tensor float32(const at::Tensor& value) {
  return value.to(at::kFloat).contiguous();
}

/// Weight and bias in float64 with every norm moved into a neighbouring layer where that is
/// possible; `after` is what remains behind the last ReLU (undefined: nothing).
struct FoldedLayers {
  std::vector<at::Tensor> weight, bias;  // (out, in), (out,)
  AffineChannels after;
};

FoldedLayers fold(const std::vector<NormedLayer>& layers, NormPlace place) {
  FoldedLayers folded;
  AffineChannels before;  // what the previous layer still has to do to its output
  for (const NormedLayer& layer : layers) {
    at::Tensor weight = layer.weight.to(at::kDouble);
    at::Tensor bias = layer.bias.defined() ? layer.bias.to(at::kDouble)
                                           : at::zeros({weight.size(0)}, weight.options());
    if (before.scale.defined()) {
      bias = bias + at::mv(weight, before.shift);
      weight = weight * before.scale;
    }
    if (place == NormPlace::before_relu) {
      weight = weight * layer.norm.scale.unsqueeze(1);
      bias = bias * layer.norm.scale + layer.norm.shift;
    } else {
      before = layer.norm;
    }
    folded.weight.push_back(weight);
    folded.bias.push_back(bias);
  }
  folded.after = before;
  return folded;
}

PointwiseLayer pointwise(const at::Tensor& weight, const at::Tensor& bias) {
  return {float32(weight.t()), float32(bias)};
}

/// Scratch of one worker, reused from block to block.
struct Scratch {
  at::Tensor offset;              // (rows, 3)
  std::vector<at::Tensor> layer;  // (rows, out) of each layer
};

Scratch make_scratch(const GroupedMlp& mlp, std::int64_t rows) {
  const auto options = mlp.last_weight.options();
  Scratch scratch;
  scratch.offset = at::empty({rows, 3}, options);
  scratch.layer.push_back(at::empty({rows, mlp.offset.weight.size(1)}, options));
  for (const PointwiseLayer& layer : mlp.hidden) {
    scratch.layer.push_back(at::empty({rows, layer.weight.size(1)}, options));
  }
  scratch.layer.push_back(at::empty({rows, mlp.last_weight.size(1)}, options));
  return scratch;
}

/// Maxima of the last layer's raw output for the groups [begin, end), into `out`.
void block_maximum(const GroupedMlp& mlp, const at::Tensor& projected, const at::Tensor& support,
                   const at::Tensor& centres, const at::Tensor& index, std::int64_t begin,
                   std::int64_t end, Scratch& scratch, const at::Tensor& out) {
  const std::int64_t groups = end - begin, per_group = index.size(1), rows = groups * per_group;
  const auto shorten = [rows](const at::Tensor& buffer) { return buffer.narrow(0, 0, rows); };
  const at::Tensor flat = index.narrow(0, begin, groups).reshape({rows});

  at::Tensor offset = shorten(scratch.offset);
  at::index_select_out(offset, support, 0, flat);
  offset.view({groups, per_group, 3}).sub_(centres.narrow(0, begin, groups).unsqueeze(1));

  at::Tensor hidden = shorten(scratch.layer[0]);
  if (projected.defined()) {
    at::index_select_out(hidden, projected, 0, flat);
    hidden.addmm_(offset, mlp.offset.weight);
  } else {
    at::addmm_out(hidden, mlp.offset.bias, offset, mlp.offset.weight);
  }
  for (std::size_t i = 0; i < mlp.hidden.size(); ++i) {
    hidden.relu_();
    at::Tensor next = shorten(scratch.layer[i + 1]);
    at::addmm_out(next, mlp.hidden[i].bias, hidden, mlp.hidden[i].weight);
    hidden = next;
  }
  hidden.relu_();
  at::Tensor last = shorten(scratch.layer.back());
  at::mm_out(last, hidden, mlp.last_weight);
  at::Tensor target = out.narrow(0, begin, groups);
  at::amax_out(target, last.view({groups, per_group, last.size(1)}), {1});
}

void move_to(at::Tensor& value, const at::Device& device) {
  if (value.defined()) value = value.to(device);
}

}  // namespace

PointwiseLayer to_device(PointwiseLayer layer, const at::Device& device) {
  move_to(layer.weight, device);
  move_to(layer.bias, device);
  return layer;
}

RowMlp to_device(RowMlp mlp, const at::Device& device) {
  for (PointwiseLayer& layer : mlp.layers) layer = to_device(layer, device);
  move_to(mlp.scale, device);
  move_to(mlp.shift, device);
  return mlp;
}

GroupedMlp to_device(GroupedMlp mlp, const at::Device& device) {
  mlp.offset = to_device(mlp.offset, device);
  for (PointwiseLayer& layer : mlp.hidden) layer = to_device(layer, device);
  for (at::Tensor* value : {&mlp.feature_weight, &mlp.last_weight, &mlp.last_sign, &mlp.last_bias,
                            &mlp.scale, &mlp.shift}) {
    move_to(*value, device);
  }
  return mlp;
}

AffineChannels fold_batch_norm(const at::Tensor& weight, const at::Tensor& bias,
                               const at::Tensor& running_mean, const at::Tensor& running_var,
                               double eps) {
  const at::Tensor scale = weight.to(at::kDouble) / at::sqrt(running_var.to(at::kDouble) + eps);
  return {scale, bias.to(at::kDouble) - running_mean.to(at::kDouble) * scale};
}

RowMlp make_row_mlp(const std::vector<NormedLayer>& layers, NormPlace place) {
  const FoldedLayers folded = fold(layers, place);
  RowMlp mlp;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    mlp.layers.push_back(pointwise(folded.weight[i], folded.bias[i]));
  }
  if (folded.after.scale.defined()) {
    mlp.scale = float32(folded.after.scale);
    mlp.shift = float32(folded.after.shift);
  }
  return mlp;
}

at::Tensor apply(const RowMlp& mlp, const at::Tensor& rows) {
  at::Tensor value = rows;
  for (const PointwiseLayer& layer : mlp.layers) {
    value = at::addmm(layer.bias, value, layer.weight).relu_();
  }
  if (mlp.scale.defined()) value.mul_(mlp.scale).add_(mlp.shift);
  return value;
}

GroupedMlp make_grouped_mlp(const std::vector<NormedLayer>& layers, NormPlace place,
                            std::int64_t features, bool offsets_first) {
  const FoldedLayers folded = fold(layers, place);
  GroupedMlp mlp;
  const at::Tensor& first = folded.weight.front();
  const std::int64_t feature_start = offsets_first ? 3 : 0;
  if (features > 0) {
    mlp.feature_weight = float32(first.narrow(1, feature_start, features).t());
  }
  mlp.offset = pointwise(first.narrow(1, offsets_first ? 0 : features, 3), folded.bias.front());
  for (std::size_t i = 1; i + 1 < layers.size(); ++i) {
    mlp.hidden.push_back(pointwise(folded.weight[i], folded.bias[i]));
  }
  const at::Tensor& last = folded.weight.back();
  at::Tensor sign = at::ones({last.size(0)}, last.options());
  if (folded.after.scale.defined()) {
    sign.masked_fill_(folded.after.scale < 0, -1.0);
    mlp.scale = float32(folded.after.scale);
    mlp.shift = float32(folded.after.shift);
  }
  mlp.last_sign = float32(sign);
  mlp.last_weight = float32((last * sign.unsqueeze(1)).t());
  mlp.last_bias = float32(folded.bias.back());
  return mlp;
}

at::Tensor grouped_maximum(const GroupedMlp& mlp, const at::Tensor& features,
                           const at::Tensor& support, const at::Tensor& centres,
                           const at::Tensor& index) {
  const std::int64_t groups = index.size(0);
  at::Tensor projected;
  if (mlp.feature_weight.defined()) {
    projected = at::addmm(mlp.offset.bias, features, mlp.feature_weight);
  }
  at::Tensor out = at::empty({groups, mlp.last_weight.size(1)}, mlp.last_weight.options());
  const auto work = [&](std::int64_t begin, std::int64_t end, std::int64_t per_block) {
    const at::NoGradGuard no_grad;  // a worker thread does not inherit the caller's
    Scratch scratch = make_scratch(mlp, per_block * index.size(1));
    for (std::int64_t start = begin; start < end; start += per_block) {
      block_maximum(mlp, projected, support, centres, index, start,
                    std::min(start + per_block, end), scratch, out);
    }
  };
  if (out.is_cpu()) {
    const std::int64_t blocks = (groups + kGroupsPerBlock - 1) / kGroupsPerBlock;
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      work(begin * kGroupsPerBlock, std::min(end * kGroupsPerBlock, groups), kGroupsPerBlock);
    });
  } else {
    work(0, groups, groups);
  }
  out.mul_(mlp.last_sign).add_(mlp.last_bias).relu_();
  if (mlp.scale.defined()) out.mul_(mlp.scale).add_(mlp.shift);
  return out;
}

at::Tensor interpolate_rows(const at::Tensor& features, const at::Tensor& index,
                            const at::Tensor& weight) {
  return ops::three_interpolate(features.t().unsqueeze(0), index.unsqueeze(0), weight.unsqueeze(0))
      .squeeze(0)
      .t();
}

}  // namespace grasppanda::models
