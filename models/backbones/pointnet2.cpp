#include "models/backbones/pointnet2.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lib/ops/point/three_interpolate.h"
#include "models/backbones/row_maximum.h"

namespace grasppanda::models {

namespace {

// Groups worked together. 16 groups of 65 messages and 128 channels are half a megabyte a layer:
// input and output of a product stay in the second-level cache.
constexpr std::int64_t kGroupsPerBlock = 16;

at::Tensor float32(const at::Tensor& value) {
  return value.to(at::kFloat).contiguous();
}

void move_to(at::Tensor& value, const at::Device& device) {
  if (value.defined()) value = value.to(device);
}

/// What follows the product and the bias, in place.
void activate(at::Tensor& rows, const PointwiseLayer& layer) {
  rows.relu_();
  if (layer.scale.defined()) at::addcmul_out(rows, layer.shift, rows, layer.scale);
}

/// One message matrix a layer, reused from block to block.
struct Scratch {
  at::Tensor offset;               // (rows, 3)
  std::vector<at::Tensor> output;  // (rows, out) of each layer
};

Scratch make_scratch(const GroupedMlp& mlp, std::int64_t rows) {
  const auto options = mlp.last_sign.options();
  Scratch scratch{at::empty({rows, 3}, options), {}};
  for (const PointwiseLayer& layer : mlp.layers) {
    scratch.output.push_back(at::empty({rows, layer.weight.size(1)}, options));
  }
  return scratch;
}

/// Consecutive groups: who stands in their slots and how many slots count, at least one each.
struct Groups {
  at::Tensor centre;      // (rows, 3): each row's own
  at::Tensor neighbours;  // (rows,): group after group
  std::vector<std::int64_t> sizes;
  std::int64_t rows() const { return neighbours.size(0); }
};

/// All slots of all groups.
Groups whole_groups(const at::Tensor& centres, const at::Tensor& index) {
  return {centres.repeat_interleave(index.size(1), 0), index.reshape({-1}),
          std::vector<std::int64_t>(static_cast<std::size_t>(index.size(0)), index.size(1))};
}

/// The slots that hold neighbours of their own.
Groups filled_groups(const at::Tensor& centres, const at::Tensor& index, const at::Tensor& count) {
  const std::int64_t slots = index.size(1);
  const at::Tensor sizes = count.clamp(1, slots).contiguous();
  const std::int64_t* first = sizes.const_data_ptr<std::int64_t>();
  Groups groups{{}, {}, {first, first + sizes.size(0)}};
  const at::Tensor filled = at::arange(slots, index.options()).unsqueeze(0).lt(sizes.unsqueeze(1));
  groups.neighbours = index.masked_select(filled);
  groups.centre = centres.repeat_interleave(sizes, 0);
  return groups;
}

/// Maxima over each group of the last layer's product alone, into `out` (G, C).
void maxima_of_products(const GroupedMlp& mlp, const at::Tensor& projected,
                        const at::Tensor& support, const Groups& groups, const Scratch& scratch,
                        at::Tensor out) {
  const auto shorten = [&](const at::Tensor& buffer) { return buffer.narrow(0, 0, groups.rows()); };
  at::Tensor offset = shorten(scratch.offset);
  at::index_select_out(offset, support, 0, groups.neighbours);
  offset.sub_(groups.centre);

  const PointwiseLayer& first = mlp.layers.front();
  at::Tensor rows = shorten(scratch.output.front());
  if (projected.defined()) {
    at::index_select_out(rows, projected, 0, groups.neighbours);
    rows.addmm_(offset, first.weight);
  } else {
    at::addmm_out(rows, first.bias, offset, first.weight);
  }
  activate(rows, first);
  for (std::size_t i = 1; i + 1 < mlp.layers.size(); ++i) {
    at::Tensor next = shorten(scratch.output[i]);
    at::addmm_out(next, mlp.layers[i].bias, rows, mlp.layers[i].weight);
    activate(next, mlp.layers[i]);
    rows = next;
  }
  at::Tensor last = shorten(scratch.output.back());
  at::mm_out(last, rows, mlp.layers.back().weight);
  if (!out.is_cpu()) {
    at::amax_out(out, last.view({out.size(0), -1, last.size(1)}), {1});
    return;
  }
  const std::int64_t channels = last.size(1);
  const float* from = last.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  for (const std::int64_t size : groups.sizes) {
    maximum_of_rows(from, size, channels, to);
    from += size * channels;
    to += channels;
  }
}

}  // namespace

BatchNorm batch_norm(const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& running_mean, const at::Tensor& running_var, double eps) {
  const at::Tensor scale = weight.to(at::kDouble) / at::sqrt(running_var.to(at::kDouble) + eps);
  return {scale, bias.to(at::kDouble) - running_mean.to(at::kDouble) * scale};
}

PointwiseLayer norm_then_relu(const at::Tensor& weight, const at::Tensor& bias,
                              const BatchNorm& norm) {
  const at::Tensor folded = weight.to(at::kDouble) * norm.scale.unsqueeze(1);
  const at::Tensor shift =
      bias.defined() ? bias.to(at::kDouble) * norm.scale + norm.shift : norm.shift;
  return {float32(folded.t()), float32(shift), {}, {}};
}

PointwiseLayer relu_then_norm(const at::Tensor& weight, const at::Tensor& bias,
                              const BatchNorm& norm) {
  const at::Tensor shift = bias.defined() ? bias : at::zeros({weight.size(0)}, weight.options());
  return {float32(weight.t()), float32(shift), float32(norm.scale), float32(norm.shift)};
}

PointwiseLayer to_device(PointwiseLayer layer, const at::Device& device) {
  for (at::Tensor* value : {&layer.weight, &layer.bias, &layer.scale, &layer.shift}) {
    move_to(*value, device);
  }
  return layer;
}

at::Tensor apply_layers(const std::vector<PointwiseLayer>& layers, const at::Tensor& rows) {
  at::Tensor value = rows;
  for (const PointwiseLayer& layer : layers) {
    value = at::addmm(layer.bias, value, layer.weight);
    activate(value, layer);
  }
  return value;
}

GroupedMlp grouped_mlp(std::vector<PointwiseLayer> layers, std::int64_t features,
                       bool offsets_first) {
  if (layers.size() < 2) throw std::invalid_argument("grouped_mlp: fewer than two layers");
  GroupedMlp mlp;
  PointwiseLayer& first = layers.front();
  if (features > 0) {
    mlp.feature_weight = first.weight.narrow(0, offsets_first ? 3 : 0, features).contiguous();
  }
  first.weight = first.weight.narrow(0, offsets_first ? 0 : features, 3).contiguous();
  PointwiseLayer& last = layers.back();
  mlp.last_sign = at::ones_like(last.bias);
  if (last.scale.defined()) mlp.last_sign.masked_fill_(last.scale < 0, -1.0);
  last.weight = last.weight * mlp.last_sign;
  mlp.layers = std::move(layers);
  return mlp;
}

GroupedMlp to_device(GroupedMlp mlp, const at::Device& device) {
  move_to(mlp.feature_weight, device);
  move_to(mlp.last_sign, device);
  for (PointwiseLayer& layer : mlp.layers) layer = to_device(std::move(layer), device);
  return mlp;
}

at::Tensor grouped_maximum(const GroupedMlp& mlp, const at::Tensor& features,
                           const at::Tensor& support, const at::Tensor& centres,
                           const at::Tensor& index, const at::Tensor& count) {
  const std::int64_t groups = centres.size(0), per_group = index.size(1);
  const PointwiseLayer& last = mlp.layers.back();
  at::Tensor projected;
  if (mlp.feature_weight.defined()) {
    projected = at::addmm(mlp.layers.front().bias, features, mlp.feature_weight);
  }
  at::Tensor out = at::empty({groups, last.weight.size(1)}, last.weight.options());
  const auto work = [&](std::int64_t begin, std::int64_t end, std::int64_t per_block) {
    const at::NoGradGuard no_grad;  // a worker thread does not inherit the caller's
    const Scratch scratch = make_scratch(mlp, per_block * per_group);
    for (std::int64_t start = begin; start < end; start += per_block) {
      const auto block = [start, size = std::min(per_block, end - start)](const at::Tensor& all) {
        return all.narrow(0, start, size);
      };
      const Groups these = out.is_cpu() && count.defined()
                               ? filled_groups(block(centres), block(index), block(count))
                               : whole_groups(block(centres), block(index));
      maxima_of_products(mlp, projected, support, these, scratch, block(out));
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
  out.mul_(mlp.last_sign).add_(last.bias);
  activate(out, last);
  return out;
}

at::Tensor interpolate_rows(const at::Tensor& features, const at::Tensor& index,
                            const at::Tensor& weight) {
  return ops::three_interpolate(features.t().unsqueeze(0), index.unsqueeze(0), weight.unsqueeze(0))
      .squeeze(0)
      .t();
}

}  // namespace grasppanda::models
