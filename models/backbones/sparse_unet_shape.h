// The sizes and names of the sparse U-Net (MinkUNet14 of Choy et al., 2019, with wider decoder
// planes), once: the network is built from them and checkpoints are checked against them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/model.h"

namespace grasppanda::models {

inline constexpr std::int64_t kUnetIn = 3, kUnetFirst = 32, kUnetOut = 512;
/// Channels after block 1 .. 8.
inline constexpr std::array<std::int64_t, 8> kUnetPlanes = {32, 64, 128, 256, 192, 192, 192, 192};
inline constexpr int kUnetLevels = 4;  // times the tensor stride doubles: 1 .. 16

/// A convolution and its batch norm by the names of a checkpoint.
struct UnetLayerNames {
  std::string conv, norm;
};
UnetLayerNames unet_first();          // conv0p1s1, bn0
UnetLayerNames unet_down(int level);  // conv{1..4}p{1..8}s2, bn{1..4}
UnetLayerNames unet_up(int level);    // convtr{4..7}p{16..2}s2, bntr{4..7}; level 0 is the deepest
std::string unet_block(int number);   // block{1..8}.0

/// Channels into block 1 .. 8.
std::int64_t unet_block_in(int number);
/// Channels of the transposed convolution into `unet_up(level)`.
std::int64_t unet_up_in(int level);

/// Every tensor, with `prefix` ("backbone.") before its name, in the order of the public files.
std::vector<ExpectedTensor> sparse_unet_tensors(const std::string& prefix);

/// The five tensors of a batch norm.
void expect_batch_norm(const std::string& name, std::int64_t channels,
                       std::vector<ExpectedTensor>& tensors);

}  // namespace grasppanda::models
