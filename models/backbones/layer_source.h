// Where the layers of a detector take their weights from. The same calls build a network and list
// what it wants, so that a checkpoint must hold exactly what is read from it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/backbones/convolution.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::models {

/// A convolution of a detector: square kernel, padded by half of it.
struct LayerShape {
  std::int64_t in, out, kernel = 1, stride = 1;
};

/// `y = x W^T + b`.
struct Linear {
  at::Tensor weight, bias;  // (out, in), (out)
  at::Tensor operator()(const at::Tensor& input) const;
};

class LayerSource {
 public:
  /// Builds nothing: layers are empty, and what they want is noted.
  LayerSource() = default;
  LayerSource(const Weights& weights, const at::Device& device)
      : weights_(&weights), device_(device) {}

  /// `key`.weight and, with `biased`, `key`.bias.
  Convolution convolution(const std::string& key, const LayerShape& shape, Activation activation,
                          bool biased = true);
  /// `key`.weight and the batch norm `norm` (running statistics, eps 1e-5), folded in.
  /// `counted`: the norm carries num_batches_tracked, which nobody reads.
  Convolution normalized(const std::string& key, const std::string& norm, const LayerShape& shape,
                         Activation activation, bool counted);
  Linear linear(const std::string& key, std::int64_t in, std::int64_t out);
  /// On the device; undefined when nothing is built.
  at::Tensor tensor(const std::string& key, std::vector<std::int64_t> shape);
  /// May lie in a file, is never computed with.
  void unused(const std::string& key, std::vector<std::int64_t> shape);

  const std::vector<ExpectedTensor>& wanted() const { return wanted_; }

 private:
  at::Tensor stored(const std::string& key, std::vector<std::int64_t> shape);

  const Weights* weights_ = nullptr;
  std::optional<at::Device> device_;
  std::vector<ExpectedTensor> wanted_;
};

/// The shape of a tensor by its bare key; null if it is not there.
const std::vector<std::int64_t>* shape_of(std::span<const io::NamedArray> tensors,
                                          std::string_view key);
/// Its first axis, the outputs of a layer; `otherwise` if it is not there or a scalar.
std::int64_t outputs_of(std::span<const io::NamedArray> tensors, std::string_view key,
                        std::int64_t otherwise);

}  // namespace grasppanda::models
