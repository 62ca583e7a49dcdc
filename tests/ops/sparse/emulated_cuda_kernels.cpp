#include "tests/support/cuda_emulation.h"
// The kernels, behind what makes them C++.
#include "lib/ops/sparse/kernel_map_cuda.cu"
#include "lib/ops/sparse/sparse_convolution_cuda.cu"
#include "tests/ops/sparse/emulated_cuda_kernels.h"

namespace grasppanda::tests {

ops::CudaFunctions emulated_sparse_cuda_functions() {
  ops::CudaFunctions functions;
  functions.cell_table = grasppanda_cuda_cell_table;
  functions.neighbour_rows = grasppanda_cuda_neighbour_rows;
  functions.link_levels = grasppanda_cuda_link_levels;
  functions.sparse_convolution = grasppanda_cuda_sparse_convolution;
  return functions;
}

}  // namespace grasppanda::tests
