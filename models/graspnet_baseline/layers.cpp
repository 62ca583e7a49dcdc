#include "models/graspnet_baseline/layers.h"

#include <ATen/ATen.h>

namespace grasppanda::models::graspnet_baseline {

namespace {

BatchNorm stored_norm(const Weights& weights, const std::string& norm) {
  return batch_norm(weights(norm + ".weight"), weights(norm + ".bias"),
                    weights(norm + ".running_mean"), weights(norm + ".running_var"));
}

/// (out, in, 1) or (out, in, 1, 1) -> (out, in).
at::Tensor stored_matrix(const Weights& weights, const std::string& convolution) {
  return weights(convolution + ".weight").flatten(1);
}

}  // namespace

PointwiseLayer shared_layer(const Weights& weights, const LayerNames& names) {
  return norm_then_relu(stored_matrix(weights, names.convolution), {},
                        stored_norm(weights, names.norm));
}

Head stored_head(const Weights& weights, LayerNames (*layer)(int), const at::Device& device) {
  Head head;
  for (int i = 0; i < 2; ++i) {
    const LayerNames names = layer(i);
    head.hidden.push_back(to_device(
        norm_then_relu(stored_matrix(weights, names.convolution),
                       weights(names.convolution + ".bias"), stored_norm(weights, names.norm)),
        device));
  }
  const std::string last = layer(2).convolution;
  head.weight = stored_matrix(weights, last).t().contiguous().to(device);
  head.bias = weights(last + ".bias").to(device);
  return head;
}

at::Tensor Head::operator()(const at::Tensor& rows) const {
  return at::addmm(bias, apply_layers(hidden, rows), weight);
}

}  // namespace grasppanda::models::graspnet_baseline
