#include "models/gsnet/checkpoint_names.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "models/backbones/sparse_unet_shape.h"
#include "models/gsnet/architecture.h"
#include "models/weights.h"

namespace grasppanda::models::gsnet {

namespace {

using Tensors = std::vector<ExpectedTensor>;

void expect_pointwise(const std::string& name, std::int64_t in, std::int64_t out,
                      Tensors& tensors) {
  tensors.push_back({name + ".weight", {out, in, 1}});
  tensors.push_back({name + ".bias", {out}});
}

void expect_crop_layer(const std::string& name, std::int64_t in, Tensors& tensors) {
  tensors.push_back({name + ".conv.weight", {kCropChannels, in, 1, 1}});
  expect_batch_norm(name + ".bn.bn", kCropChannels, tensors);
}

bool holds(std::span<const io::NamedArray> tensors, std::string_view key,
           const std::vector<std::int64_t>& shape) {
  return std::ranges::any_of(tensors, [&](const io::NamedArray& tensor) {
    return bare_key(tensor.key) == key && tensor.array.shape == shape;
  });
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const config::Config*) {
  Tensors tensors = sparse_unet_tensors(kBackbonePrefix);
  expect_pointwise("graspable.conv_graspable", kFeatures, 3, tensors);
  expect_pointwise("rotation.conv1", kFeatures, kFeatures, tensors);
  expect_pointwise("rotation.conv2", kFeatures, kViews, tensors);
  expect_crop_layer("crop.mlps.layer0", kFeatures + 3, tensors);
  expect_crop_layer("crop.mlps.layer1", kCropChannels, tensors);
  expect_pointwise("swad.conv1", kCropChannels, kCropChannels, tensors);
  expect_pointwise("swad.conv_swad", kCropChannels, 2 * kAngles * kDepths, tensors);
  return tensors;
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return holds(tensors, "backbone.conv0p1s1.kernel", {125, kUnetIn, kUnetFirst}) &&
         holds(tensors, "graspable.conv_graspable.weight", {3, kFeatures, 1});
}

}  // namespace grasppanda::models::gsnet
