// The sizes of GSNet ("graspness"), once: the network is built from them and checkpoints are
// checked against them. Source: Wang et al., "Graspness Discovery in Clutters", ICCV 2021, as the
// public PyTorch ports have it.
#pragma once

#include <array>
#include <cstdint>

namespace grasppanda::models::gsnet {

inline constexpr std::int64_t kFeatures = 512;  // of a point
inline constexpr std::int64_t kViews = 300, kAngles = 12, kDepths = 4;
inline constexpr std::int64_t kCropChannels = 256;

/// The cylinder whose seeds are looked at together, metres along and across the approach.
inline constexpr double kCylinderRadius = 0.05, kCylinderMin = -0.02, kCylinderMax = 0.04;
inline constexpr std::int64_t kCylinderSamples = 16;

inline constexpr float kWidest = 0.1F;       // metres
inline constexpr float kGripHeight = 0.02F;  // metres, written to every grasp

}  // namespace grasppanda::models::gsnet
