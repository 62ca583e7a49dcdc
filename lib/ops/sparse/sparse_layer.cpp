#include "lib/ops/sparse/sparse_layer.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "sparse_convolution";

std::int64_t size_of_kernel(std::int64_t offsets) {
  for (const std::int64_t size : {1, 2, 3, 5})
    if (size * size * size == offsets) return size;
  refuse_argument(kOp, "kernel", "has " + std::to_string(offsets) + " offsets", "1, 8, 27 or 125");
}

std::int32_t checked_stride(std::int64_t stride, bool transposed) {
  constexpr std::int64_t largest = 1 << 28;
  if (stride < 1 || stride > largest || (transposed && stride % 2 != 0))
    refuse_argument(kOp, "tensor_stride", "is " + std::to_string(stride),
                    transposed ? "an even number for a transposed layer" : "1 to 2^28");
  return static_cast<std::int32_t>(stride);
}

std::shared_ptr<const CoordinateMap> make_map(const at::Tensor& coords, std::int32_t stride) {
  return std::make_shared<const CoordinateMap>(coords, stride);
}

}  // namespace

SparseLayer sparse_layer(const at::Tensor& in_coords, const at::Tensor& out_coords,
                         std::int64_t offsets, const SparseLayerShape& shape) {
  const std::int64_t size = size_of_kernel(offsets);
  const std::int32_t stride = checked_stride(shape.tensor_stride, shape.transposed);
  const bool halves = shape.transposed || shape.stride == 2;
  if (shape.stride != 1 && shape.stride != 2)
    refuse_argument(kOp, "stride", "is " + std::to_string(shape.stride), "1 or 2");
  if (halves != (size == 2))
    refuse_argument(kOp, "kernel", "has " + std::to_string(offsets) + " offsets",
                    halves ? "8 for stride 2" : "1, 27 or 125 for stride 1");
  const auto in = make_map(in_coords, stride);
  if (!halves) {
    const auto map = size == 1 ? pointwise_map(in->size()) : neighbour_map(*in, size);
    return {in, map};
  }
  if (shape.transposed) {
    if (!out_coords.defined())
      refuse_argument(kOp, "out_coords", "is missing", "coordinates of half the tensor stride");
    const auto out = make_map(out_coords, stride / 2);
    return {out, halve(*out, in).up};
  }
  const Halving level =
      out_coords.defined() ? halve(*in, make_map(out_coords, 2 * stride)) : halve(*in);
  return {level.coarse, level.down};
}

}  // namespace grasppanda::ops
