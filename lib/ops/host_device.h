// Marks inline functions that CPU and CUDA kernels share. What is rounded where is then written
// once: both sides are compiled without contraction and return the same bits.
#pragma once

#ifdef __CUDACC__
#define GRASPPANDA_HOST_DEVICE __host__ __device__
#else
#define GRASPPANDA_HOST_DEVICE
#endif
