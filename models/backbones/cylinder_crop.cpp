#include "models/backbones/cylinder_crop.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <vector>

#include "lib/ops/point/cylinder_query.h"
#include "models/backbones/row_maximum.h"

namespace grasppanda::models {

namespace {

// Seeds worked together: 16 x 16 messages of 256 channels are a quarter of a megabyte.
constexpr std::int64_t kSeedsPerBlock = 16;

/// The slots that hold a real neighbour, seed after seed.
struct Messages {
  std::vector<std::int64_t> first;  // M + 1: messages of each seed
  at::Tensor slot;                  // (T,) int64 into M * S
};

Messages real_messages(const CylinderGroups& groups) {
  const at::Tensor count = groups.count.to(at::kCPU).contiguous();
  const std::int64_t seeds = count.size(0), slots = groups.index.size(1);
  const std::int64_t* counts = count.const_data_ptr<std::int64_t>();
  Messages messages;
  messages.first.assign(1, 0);
  std::vector<std::int64_t> slot;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    // Without any hit the first seed stands in, as its index says.
    const std::int64_t real = std::clamp<std::int64_t>(counts[seed], 1, slots);
    for (std::int64_t s = 0; s < real; ++s) slot.push_back(seed * slots + s);
    messages.first.push_back(static_cast<std::int64_t>(slot.size()));
  }
  messages.slot = at::tensor(slot, at::kLong);
  return messages;
}

at::Tensor maxima_on_cpu(const CropMlp& mlp, const at::Tensor& projected, const at::Tensor& offsets,
                         const at::Tensor& index, const Messages& messages) {
  const auto seeds = static_cast<std::int64_t>(messages.first.size()) - 1;
  const std::int64_t channels = mlp.second_weight.size(1);
  at::Tensor out = at::empty({seeds, channels}, projected.options());
  const std::int64_t blocks = (seeds + kSeedsPerBlock - 1) / kSeedsPerBlock;
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    const at::NoGradGuard no_grad;  // a worker thread does not inherit the caller's
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t seed = block * kSeedsPerBlock;
      const std::int64_t count = std::min(kSeedsPerBlock, seeds - seed);
      const std::int64_t* first = messages.first.data() + seed;
      const std::int64_t size = first[count] - first[0];
      at::Tensor rows = projected.index_select(0, index.narrow(0, first[0], size));
      rows.addmm_(offsets.narrow(0, first[0], size), mlp.offset_weight).relu_();
      const at::Tensor products = at::mm(rows, mlp.second_weight);
      const float* values = products.const_data_ptr<float>();
      float* maxima = out.mutable_data_ptr<float>() + seed * channels;
      for (std::int64_t i = 0; i < count; ++i)
        maximum_of_rows(values + (first[i] - first[0]) * channels, first[i + 1] - first[i],
                        channels, maxima + i * channels);
    }
  });
  return out;
}

at::Tensor maxima_of_all_slots(const CropMlp& mlp, const at::Tensor& projected,
                               const CylinderGroups& groups) {
  at::Tensor rows = projected.index_select(0, groups.index.reshape({-1}));
  rows.addmm_(groups.offsets.reshape({-1, 3}), mlp.offset_weight).relu_();
  return at::mm(rows, mlp.second_weight)
      .view({groups.index.size(0), groups.index.size(1), -1})
      .amax(1);
}

}  // namespace

CylinderGroups cylinder_groups(const at::Tensor& xyz, const at::Tensor& rotation, double radius,
                               double hmin, double hmax, std::int64_t samples) {
  const ops::Neighbourhood found = ops::cylinder_query(
      xyz.unsqueeze(0), xyz.unsqueeze(0), rotation.unsqueeze(0), radius, hmin, hmax, samples);
  CylinderGroups groups{found.index.squeeze(0), found.count.squeeze(0), {}};
  const at::Tensor near = xyz.index_select(0, groups.index.reshape({-1}))
                              .view({xyz.size(0), samples, 3})
                              .sub_(xyz.unsqueeze(1))
                              .div_(radius);
  groups.offsets = at::bmm(near, rotation);  // a row vector times R: the gripper's axes
  return groups;
}

CropMlp crop_mlp(const PointwiseLayer& first, const PointwiseLayer& second) {
  const std::int64_t features = first.weight.size(0) - 3;
  return {first.weight.narrow(0, 0, 3).contiguous(),
          first.weight.narrow(0, 3, features).contiguous(), first.bias, second.weight, second.bias};
}

at::Tensor cylinder_crop(const CropMlp& mlp, const at::Tensor& features,
                         const CylinderGroups& groups) {
  const at::Tensor projected = at::addmm(mlp.first_bias, features, mlp.feature_weight);
  at::Tensor out;
  if (features.is_cpu()) {
    const Messages messages = real_messages(groups);
    out = maxima_on_cpu(mlp, projected,
                        groups.offsets.reshape({-1, 3}).index_select(0, messages.slot),
                        groups.index.reshape({-1}).index_select(0, messages.slot), messages);
  } else {
    out = maxima_of_all_slots(mlp, projected, groups);
  }
  return out.add_(mlp.second_bias).relu_();
}

}  // namespace grasppanda::models
