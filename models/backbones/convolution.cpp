#include "models/backbones/convolution.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

namespace grasppanda::models {

namespace {

/// LibTorch's own fused call of oneDNN: convolution, bias and activation in one pass over packed
/// weights. It has no C++ name, only one in the table of operators; a LibTorch without oneDNN lacks
/// it, and the plain convolution runs.
struct FusedCalls {
  std::optional<c10::OperatorHandle> pack, run;
};

const FusedCalls& fused_calls() {
  static const FusedCalls calls = [] {
    FusedCalls found;
    if (!at::globalContext().hasMKLDNN() || !at::globalContext().userEnabledMkldnn()) return found;
    auto& dispatcher = c10::Dispatcher::singleton();
    found.pack = dispatcher.findSchema({"mkldnn::_reorder_convolution_weight", ""});
    found.run = dispatcher.findSchema({"mkldnn::_convolution_pointwise", ""});
    // A later version may take other arguments.
    const bool known = found.pack && found.pack->schema().arguments().size() == 6 && found.run &&
                       found.run->schema().arguments().size() == 10;
    return known ? found : FusedCalls{};
  }();
  return calls;
}

c10::IValue both(std::int64_t value) {
  return c10::IValue(std::vector<std::int64_t>{value, value});
}

at::Tensor pack(const at::Tensor& weight, const ConvolutionShape& shape) {
  torch::jit::Stack stack = {weight,  both(shape.padding), both(shape.stride),
                             both(1), shape.groups,        c10::IValue()};
  fused_calls().pack->callBoxed(stack);
  return stack.front().toTensor();
}

const char* fused_name(Activation activation) {
  switch (activation) {
    case Activation::silu:
      return "swish";
    case Activation::relu:
      return "relu";
    case Activation::none:
      break;
  }
  return "none";
}

}  // namespace

ConvolutionWeights fold(const ConvolutionWeights& convolution, const ChannelNorm& norm) {
  const at::Tensor scale =
      norm.weight.to(at::kDouble) / at::sqrt(norm.var.to(at::kDouble) + norm.eps);
  at::Tensor bias = -norm.mean.to(at::kDouble);
  if (convolution.bias.defined()) bias = bias + convolution.bias.to(at::kDouble);
  return {(convolution.weight.to(at::kDouble) * scale.view({-1, 1, 1, 1})).to(at::kFloat),
          (bias * scale + norm.bias.to(at::kDouble)).to(at::kFloat)};
}

Convolution::Convolution(const ConvolutionWeights& weights, const ConvolutionShape& shape,
                         Activation activation, const at::Device& device)
    : shape_(shape), activation_(activation) {
  bias_ = weights.bias;
  if (!bias_.defined()) bias_ = at::zeros({weights.weight.size(0)}, at::kFloat);
  weight_ = weights.weight.to(at::kFloat);
  packed_ = device.is_cpu() && fused_calls().run.has_value();
  if (packed_) {
    weight_ = pack(weight_.contiguous(), shape_);
  } else {
    weight_ = weight_.to(device).contiguous(at::MemoryFormat::ChannelsLast);
    bias_ = bias_.to(device);
  }
}

at::Tensor Convolution::operator()(const at::Tensor& input) const {
  if (packed_) {
    torch::jit::Stack stack = {input,
                               weight_,
                               bias_,
                               both(shape_.padding),
                               both(shape_.stride),
                               both(1),
                               shape_.groups,
                               std::string(fused_name(activation_)),
                               c10::List<std::optional<at::Scalar>>(),
                               c10::IValue()};
    fused_calls().run->callBoxed(stack);
    return stack.front().toTensor();
  }
  at::Tensor output = at::conv2d(input, weight_, bias_, {shape_.stride, shape_.stride},
                                 {shape_.padding, shape_.padding}, {1, 1}, shape_.groups);
  if (activation_ == Activation::silu) output = at::silu_(output);
  if (activation_ == Activation::relu) output = at::relu_(output);
  return output;
}

}  // namespace grasppanda::models
