// The CUDA kernels as entries of the operators' kernel lists: tensors in, tensors out, batches.
#pragma once

#include <functional>

#include "lib/ops/cuda_module.h"
#include "lib/ops/kernel.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/nested_cylinder_query.h"

namespace grasppanda::ops {

/// All take float32 tensors with any strides, of fewer than 2^31 points a cloud, and leave other
/// types to the reference. Work is queued on LibTorch's current stream of the tensors' device.
struct CudaKernels {
  Kernel<FurthestPointSampleFn> furthest_point_sample;
  Kernel<BallQueryFn> ball_query;          // also leaves: the sum order of the CPU
  Kernel<CylinderQueryFn> cylinder_query;  // also leaves: calls under autocast or with TF32
  Kernel<NestedCylinderQueryFn> nested_cylinder_query;  // likewise
  Kernel<KnnFn> knn;  // also leaves: k > 64, gradients, the sum order of the CPU
};

/// Those of the process, from the module that is opened on the first use.
CudaKernels cuda_kernels();

/// Those of functions of one's own choice, missing nowhere: for tests.
CudaKernels cuda_kernels_of(const CudaFunctions& functions);

}  // namespace grasppanda::ops
