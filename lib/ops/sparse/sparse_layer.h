// One layer from coordinates alone, for callers that hold no maps: `ops run`, tests.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "lib/ops/sparse/kernel_map.h"

namespace grasppanda::ops {

struct SparseLayerShape {
  std::int64_t stride = 1;         // 1, or 2 for a kernel of 8 offsets
  std::int64_t tensor_stride = 1;  // of the input
  bool transposed = false;         // from stride s to the coordinates of stride s / 2
};

struct SparseLayer {
  std::shared_ptr<const CoordinateMap> out;
  SharedKernelMap map;
};

/// in_coords, out_coords (N, 4) int32. Output coordinates follow from the input except for a
/// transposed layer, where they must be given; given ones of a layer of stride 2 set the order of
/// its rows. Throws ArgumentError: number of offsets, strides, coordinates.
SparseLayer sparse_layer(const at::Tensor& in_coords, const at::Tensor& out_coords,
                         std::int64_t offsets, const SparseLayerShape& shape);

}  // namespace grasppanda::ops
