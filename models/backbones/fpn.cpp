#include "models/backbones/fpn.h"

#include <ATen/ATen.h>

namespace grasppanda::models {

Fpn::Fpn(LayerSource& source, const FpnNames& names, const std::array<std::int64_t, 4>& channels,
         ExtraLevels extra)
    : extra_(extra) {
  const std::size_t first = extra == ExtraLevels::pooled ? 0 : 1;
  const auto numbered = [&](const std::string& name, std::size_t level) {
    return name + std::to_string(level - first) + names.suffix;
  };
  for (std::size_t level = first; level < 4; ++level) {
    laterals_.push_back(source.convolution(numbered(names.lateral, level),
                                           {.in = channels[level], .out = kPyramidChannels},
                                           Activation::none));
  }
  for (std::size_t level = first; level < 4; ++level) {
    outputs_.push_back(source.convolution(
        numbered(names.output, level),
        {.in = kPyramidChannels, .out = kPyramidChannels, .kernel = 3}, Activation::none));
  }
  if (extra == ExtraLevels::pooled) return;
  std::int64_t in = extra == ExtraLevels::from_output ? kPyramidChannels : channels[3];
  for (const std::string& name : names.extra) {
    strided_.push_back(source.convolution(
        name, {.in = in, .out = kPyramidChannels, .kernel = 3, .stride = 2}, Activation::none));
    in = kPyramidChannels;
  }
}

std::array<at::Tensor, 5> Fpn::forward(const std::array<at::Tensor, 4>& stages) const {
  const std::size_t first = 4 - laterals_.size();
  std::vector<at::Tensor> inner;
  for (std::size_t i = 0; i < laterals_.size(); ++i)
    inner.push_back(laterals_[i](stages[first + i]));
  for (std::size_t i = inner.size() - 1; i > 0; --i) {
    const at::Tensor& to = inner[i - 1];
    inner[i - 1].add_(at::upsample_nearest2d(inner[i], {to.size(2), to.size(3)}));
  }
  std::array<at::Tensor, 5> levels;
  std::size_t count = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) levels[count++] = outputs_[i](inner[i]);
  const at::Tensor& coarsest = levels[count - 1];
  if (extra_ == ExtraLevels::pooled) {
    levels[count] = at::max_pool2d(coarsest, {1, 1}, {2, 2});
    return levels;
  }
  levels[count] = strided_[0](extra_ == ExtraLevels::from_output ? coarsest : stages[3]);
  const at::Tensor& p6 = levels[count];
  levels[count + 1] = strided_[1](extra_ == ExtraLevels::from_input ? p6 : at::relu(p6));
  return levels;
}

}  // namespace grasppanda::models
