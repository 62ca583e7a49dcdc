#include "models/backbones/layer_source.h"

#include <ATen/ATen.h>

#include <utility>

namespace grasppanda::models {

namespace {

constexpr double kNormEps = 1e-5;

ConvolutionShape placed(const LayerShape& shape) {
  return {.stride = shape.stride, .padding = shape.kernel / 2, .groups = 1};
}

}  // namespace

at::Tensor Linear::operator()(const at::Tensor& input) const {
  return at::linear(input, weight, bias);
}

at::Tensor LayerSource::stored(const std::string& key, std::vector<std::int64_t> shape) {
  wanted_.push_back({key, std::move(shape)});
  return weights_ == nullptr ? at::Tensor() : (*weights_)(key);
}

Convolution LayerSource::convolution(const std::string& key, const LayerShape& shape,
                                     Activation activation, bool biased) {
  const at::Tensor weight =
      stored(key + ".weight", {shape.out, shape.in, shape.kernel, shape.kernel});
  const at::Tensor bias = biased ? stored(key + ".bias", {shape.out}) : at::Tensor();
  if (weights_ == nullptr) return {};
  return {{weight, bias}, placed(shape), activation, *device_};
}

Convolution LayerSource::normalized(const std::string& key, const std::string& norm,
                                    const LayerShape& shape, Activation activation, bool counted) {
  const at::Tensor weight =
      stored(key + ".weight", {shape.out, shape.in, shape.kernel, shape.kernel});
  const ChannelNorm channels{stored(norm + ".weight", {shape.out}),
                             stored(norm + ".bias", {shape.out}),
                             stored(norm + ".running_mean", {shape.out}),
                             stored(norm + ".running_var", {shape.out}), kNormEps};
  if (counted) unused(norm + ".num_batches_tracked", {});
  if (weights_ == nullptr) return {};
  return {fold({weight, {}}, channels), placed(shape), activation, *device_};
}

Linear LayerSource::linear(const std::string& key, std::int64_t in, std::int64_t out) {
  return {tensor(key + ".weight", {out, in}), tensor(key + ".bias", {out})};
}

at::Tensor LayerSource::tensor(const std::string& key, std::vector<std::int64_t> shape) {
  const at::Tensor value = stored(key, std::move(shape));
  return value.defined() ? value.to(*device_) : value;
}

void LayerSource::unused(const std::string& key, std::vector<std::int64_t> shape) {
  wanted_.push_back({key, std::move(shape), false});
}

const std::vector<std::int64_t>* shape_of(std::span<const io::NamedArray> tensors,
                                          std::string_view key) {
  for (const io::NamedArray& tensor : tensors) {
    if (bare_key(tensor.key) == key) return &tensor.array.shape;
  }
  return nullptr;
}

std::int64_t outputs_of(std::span<const io::NamedArray> tensors, std::string_view key,
                        std::int64_t otherwise) {
  const auto* shape = shape_of(tensors, key);
  return shape == nullptr || shape->empty() ? otherwise : shape->front();
}

}  // namespace grasppanda::models
