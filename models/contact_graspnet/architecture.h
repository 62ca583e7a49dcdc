// The sizes of Contact-GraspNet, once: the network is built from them and checkpoints are checked
// against them. Source: Sundermeyer et al., 2021, as the PyTorch Geometric port cgn-pytorch 0.4.3
// has it (radii, widths and the order of layers differ from the original TensorFlow network).
#pragma once

#include <array>
#include <cstdint>

namespace grasppanda::models::contact_graspnet {

using Widths = std::array<std::int64_t, 3>;  // outputs of the three layers of an MLP

/// One set abstraction: centres sampled, and per scale a radius (metres) and an MLP.
struct LevelShape {
  std::int64_t centres;
  std::int64_t in_channels;  // of the level below, without the 3 offsets
  std::array<double, 3> radius;
  std::array<Widths, 3> widths;
};
inline constexpr std::array<LevelShape, 3> kLevels = {{
    {2048, 0, {0.02, 0.04, 0.08}, {{{32, 32, 64}, {64, 64, 128}, {64, 96, 128}}}},
    {512, 320, {0.04, 0.08, 0.16}, {{{64, 64, 128}, {128, 128, 256}, {128, 128, 256}}}},
    {128, 640, {0.08, 0.16, 0.32}, {{{64, 64, 128}, {128, 128, 256}, {128, 128, 256}}}},
}};
inline constexpr std::int64_t kNeighbours = 64;  // kept per centre, for every radius

/// One propagation step: interpolated and skip channels, outputs of its layers (0: no such layer).
struct StepShape {
  std::int64_t interpolated, skip;
  Widths widths;
};
inline constexpr std::array<StepShape, 3> kSteps = {{
    {640, 640, {256, 256, 0}},
    {256, 640, {256, 128, 0}},
    {128, 320, {128, 128, 128}},
}};

/// A level that published checkpoints hold and that no result depends on.
inline constexpr std::int64_t kUnusedIn = 640;
inline constexpr Widths kUnusedWidths = {256, 512, 1024};

/// Heads: confidence logit, baseline vector, approach vector, width. Input: position and features.
inline constexpr std::array<std::int64_t, 4> kHeadOutputs = {1, 3, 3, 1};
inline constexpr std::int64_t kHeadIn = 131;
inline constexpr std::int64_t kHeadHidden = 128;

}  // namespace grasppanda::models::contact_graspnet
