// The kernel maps of a network that halves its resolution step by step.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "lib/ops/sparse/kernel_map.h"

namespace grasppanda::ops {

/// The coordinates of the tensor strides 1, 2, 4, ... and who meets whom in every layer.
struct KernelMapPyramid {
  std::vector<at::Tensor> coords;       // (N_i, 4) int32 of tensor stride 2^i
  SharedKernelMap wide;                 // 5/1 at stride 1
  std::vector<SharedKernelMap> around;  // 3/1 at every stride
  std::vector<SharedKernelMap> down;    // 2/2 from stride 2^i to 2^(i + 1)
  std::vector<SharedKernelMap> up;      // transposed 2/2 from stride 2^(i + 1) to 2^i
};

/// coords (N, 4) int32 of tensor stride 1, each row once, within +-2^30; `halvings` steps.
///
/// For a device on which the compiled sparse_convolution runs and is selected, the maps are made
/// and lie there; else on the CPU. Coarse rows come in the order in which their first fine row
/// appears, on every device. Throws ArgumentError saying which row is wrong.
KernelMapPyramid kernel_maps_on(c10::Device device, const at::Tensor& coords, int halvings);

/// Always on the CPU: what defines the result.
KernelMapPyramid kernel_maps_on_cpu(const at::Tensor& coords, int halvings);

/// Where two pyramids differ, whatever the forms and the devices of their maps; empty if nowhere.
std::string first_difference(const KernelMapPyramid& got, const KernelMapPyramid& want);

}  // namespace grasppanda::ops
