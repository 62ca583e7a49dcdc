#include "tests/support/cuda_emulation.h"
// The kernels, behind what makes them C++.
#define GRASPPANDA_CUDA_REVISION "emulated"
#include "lib/ops/point/ball_query_cuda.cu"
#include "lib/ops/point/cylinder_query_cuda.cu"
#include "lib/ops/point/furthest_point_sample_cuda.cu"
#include "lib/ops/point/knn_cuda.cu"
#include "lib/ops/point/run_boxes_cuda.cu"
#include "tests/ops/point/emulated_cuda_kernels.h"

namespace grasppanda::tests {

ops::CudaFunctions emulated_cuda_functions() {
  return {grasppanda_cuda_search_scratch,        grasppanda_cuda_sampling_scratch,
          grasppanda_cuda_furthest_point_sample, grasppanda_cuda_ball_query,
          grasppanda_cuda_cylinder_query,        grasppanda_cuda_knn};
}

}  // namespace grasppanda::tests
