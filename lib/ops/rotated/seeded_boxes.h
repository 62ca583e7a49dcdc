// Rotated boxes of the nasty kinds, the same on every machine: inputs of self-checks, tests and
// benches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {

enum class BoxKind {
  aerial,      // centres anywhere in the extent, w 8 to 100, h 4 to 40, any angle
  clusters,    // jittered copies of a few boxes: most overlap several others
  lattice,     // whole numbers and eighths of a turn: shared edges, shared corners, equal boxes
  slivers,     // sides from 1e-3 to 1e3 pixels
  far_out,     // coordinates about 1e5
  degenerate,  // aerial, with sides <= 0, NaN, infinities and vanishing areas among them
};

/// (count, 5) float32 on the CPU; centres in [0, extent).
at::Tensor seeded_boxes(BoxKind kind, int64_t count, uint64_t seed, double extent = 1024);

/// Boxes of a kind, extent, type and strides of the numbers' choice.
at::Tensor drawn_boxes(SeededNumbers& numbers, int64_t count);

/// (count,) float32 in [0, 1) on the CPU; about one in eight equals another.
at::Tensor seeded_scores(int64_t count, uint64_t seed);

/// (count,) int64 in [0, classes) on the CPU.
at::Tensor seeded_labels(int64_t count, int64_t classes, uint64_t seed);

}  // namespace grasppanda::ops
