// The sizes of GraspNet-baseline, once: the network is built from them and checkpoints are checked
// against them. Source: Fang et al., "GraspNet-1Billion", 2020, as graspnet-baseline has it.
#pragma once

#include <array>
#include <cstdint>

namespace grasppanda::models::graspnet_baseline {

/// One set abstraction of the encoder: centres, radius (metres), neighbours, MLP.
struct LevelShape {
  std::int64_t centres;
  double radius;
  std::int64_t neighbours;
  std::int64_t in_channels;  // of the level below, without the 3 offsets
  std::array<std::int64_t, 3> widths;
};
inline constexpr std::array<LevelShape, 4> kLevels = {{
    {2048, 0.04, 64, 0, {64, 64, 128}},
    {1024, 0.1, 32, 128, {128, 128, 256}},
    {512, 0.2, 16, 256, {128, 128, 256}},
    {256, 0.3, 16, 256, {128, 128, 256}},
}};

/// Both propagations: interpolated and own channels, then two layers.
inline constexpr std::int64_t kStepIn = 512;
inline constexpr std::array<std::int64_t, 2> kStepWidths = {256, 256};

inline constexpr std::int64_t kSeedChannels = 256;
inline constexpr std::int64_t kViews = 300;
inline constexpr std::int64_t kAngles = 12;
inline constexpr std::int64_t kHeadHidden = 128;

/// The crop around a seed: a cylinder along the approach, one for every depth; metres.
inline constexpr double kCropRadius = 0.05;
inline constexpr double kCropBehind = -0.02;
inline constexpr std::array<double, 4> kCropAhead = {0.01, 0.02, 0.03, 0.04};
inline constexpr std::int64_t kCropPoints = 64;
inline constexpr std::array<std::int64_t, 3> kCropWidths = {64, 128, 256};
inline constexpr std::int64_t kDepths = kCropAhead.size();

}  // namespace grasppanda::models::graspnet_baseline
