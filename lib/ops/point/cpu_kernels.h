// The CPU kernels as entries of the operators' kernel lists: tensors in, tensors out, batches.
#pragma once

#include "lib/ops/kernel.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/nested_cylinder_query.h"

namespace grasppanda::ops {

// All take float32 tensors on the CPU with any strides and leave other types to the reference.
Kernel<FurthestPointSampleFn> furthest_point_sample_cpu_kernel();
Kernel<BallQueryFn> ball_query_cpu_kernel();          // also leaves: the sum order of CUDA
Kernel<CylinderQueryFn> cylinder_query_cpu_kernel();  // also leaves: products below float32
Kernel<NestedCylinderQueryFn> nested_cylinder_query_cpu_kernel();  // likewise
Kernel<KnnFn> knn_cpu_kernel();  // also leaves: k > 64, gradients, the sum order of CUDA

}  // namespace grasppanda::ops
