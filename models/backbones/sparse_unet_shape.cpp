#include "models/backbones/sparse_unet_shape.h"

#include <utility>

namespace grasppanda::models {

namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

class Names {
 public:
  explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}

  void layer(const UnetLayerNames& names, std::vector<std::int64_t> kernel) {
    const std::int64_t out = kernel.back();
    tensors_.push_back({prefix_ + names.conv + ".kernel", std::move(kernel)});
    expect_batch_norm(prefix_ + names.norm + ".bn", out, tensors_);
  }
  void block(int block_number) {
    const std::string name = unet_block(block_number);
    const std::int64_t in = unet_block_in(block_number);
    const std::int64_t out = kUnetPlanes[static_cast<std::size_t>(block_number - 1)];
    layer({name + ".conv1", name + ".norm1"}, {27, in, out});
    layer({name + ".conv2", name + ".norm2"}, {27, out, out});
    if (in != out) layer({name + ".downsample.0", name + ".downsample.1"}, {in, out});
  }
  void last() {
    tensors_.push_back({prefix_ + "final.kernel", {kUnetPlanes.back(), kUnetOut}});
    tensors_.push_back({prefix_ + "final.bias", {1, kUnetOut}});
  }
  std::vector<ExpectedTensor> take() { return std::move(tensors_); }

 private:
  std::string prefix_;
  std::vector<ExpectedTensor> tensors_;
};

}  // namespace

UnetLayerNames unet_first() {
  return {"conv0p1s1", "bn0"};
}

UnetLayerNames unet_down(int level) {
  return {"conv" + number(level + 1) + "p" + number(1 << level) + "s2", "bn" + number(level + 1)};
}

UnetLayerNames unet_up(int level) {
  return {"convtr" + number(level + 4) + "p" + number(16 >> level) + "s2",
          "bntr" + number(level + 4)};
}

std::string unet_block(int block_number) {
  return "block" + number(block_number) + ".0";
}

std::int64_t unet_block_in(int block_number) {
  // Down: what the strided convolution keeps. Up: the upsampled channels, then the skipped ones.
  if (block_number <= 2) return kUnetFirst;
  if (block_number <= 4) return kUnetPlanes[static_cast<std::size_t>(block_number - 2)];
  const std::array<std::int64_t, 4> skipped = {kUnetPlanes[2], kUnetPlanes[1], kUnetPlanes[0],
                                               kUnetFirst};
  return kUnetPlanes[static_cast<std::size_t>(block_number - 1)] +
         skipped[static_cast<std::size_t>(block_number - 5)];
}

std::int64_t unet_up_in(int level) {
  return kUnetPlanes[static_cast<std::size_t>(level + 3)];
}

std::vector<ExpectedTensor> sparse_unet_tensors(const std::string& prefix) {
  Names names(prefix);
  names.layer(unet_first(), {125, kUnetIn, kUnetFirst});
  for (int level = 0; level < kUnetLevels; ++level) {
    const std::int64_t in = unet_block_in(level + 1);
    names.layer(unet_down(level), {8, in, in});
    names.block(level + 1);
  }
  for (int level = 0; level < kUnetLevels; ++level) {
    names.layer(unet_up(level),
                {8, unet_up_in(level), kUnetPlanes[static_cast<std::size_t>(level + 4)]});
    names.block(level + 5);
  }
  names.last();
  return names.take();
}

void expect_batch_norm(const std::string& name, std::int64_t channels,
                       std::vector<ExpectedTensor>& tensors) {
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"})
    tensors.push_back({name + part, {channels}});
  tensors.push_back({name + ".num_batches_tracked", {}});
}

}  // namespace grasppanda::models
