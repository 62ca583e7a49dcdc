// The functions of libgrasppanda_ops_cuda.so: raw pointers, sizes and a stream, nothing of
// LibTorch. Read by nvcc (C++17) and by the program, which finds them by name at run time
// (cuda_module.h).
//
// All pointers are device memory, all clouds contiguous float32 x, y, z, unless said otherwise.
// Work is queued on the stream; nothing waits for it. A function returns what went wrong in words
// of the CUDA runtime, or null.
#pragma once

#include <cstddef>
#include <cstdint>

#define GRASPPANDA_CUDA_FUNCTION extern "C" __attribute__((visibility("default")))

/// Where a kernel runs: a device by number and a CUDA stream of it.
struct GrasppandaCudaPlace {
  int device;
  void* stream;
};

/// The revision of the sources that the library was made of.
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_revision();

/// Bytes of scratch that the searches want for their boxes, 0 where the cloud is too small for any.
GRASPPANDA_CUDA_FUNCTION std::size_t grasppanda_cuda_search_scratch(std::int64_t clouds,
                                                                    std::int64_t n);
GRASPPANDA_CUDA_FUNCTION std::size_t grasppanda_cuda_sampling_scratch(std::int64_t clouds,
                                                                      std::int64_t n,
                                                                      std::int64_t num_samples);

/// points (clouds, n, 3), n >= 1; samples (clouds, num_samples).
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_furthest_point_sample(
    GrasppandaCudaPlace place, const float* points, std::int64_t clouds, std::int64_t n,
    std::int64_t num_samples, bool skip_near_origin, bool pointnet2_ties, void* scratch,
    std::int64_t* samples);

/// query (clouds, m, 3), support (clouds, n, 3); index (clouds, m, nsample), count (clouds, m).
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_ball_query(
    GrasppandaCudaPlace place, const float* query, std::int64_t m, const float* support,
    std::int64_t n, std::int64_t clouds, float squared_radius, std::int64_t nsample, void* scratch,
    std::int64_t* index, std::int64_t* count);

/// Nested cylinders, several of them in one pass. rotation (clouds, m, 9), row-major; `hmax`: `ends` upper ends,
/// host memory. index (clouds, ends, m, nsample), count (clouds, ends, m); hand_back (clouds, m): 1
/// where the reference must answer all ends of the query.
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_cylinder_query(
    GrasppandaCudaPlace place, const float* query, std::int64_t m, const float* support,
    std::int64_t n, const float* rotation, std::int64_t clouds, float squared_radius, float hmin,
    const float* hmax, int ends, std::int64_t nsample, void* scratch, std::int64_t* index,
    std::int64_t* count, std::uint8_t* hand_back);

/// 1 <= k <= min(n, 64); squared, index (clouds, m, k).
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_knn(GrasppandaCudaPlace place,
                                                         const float* query, std::int64_t m,
                                                         const float* support, std::int64_t n,
                                                         std::int64_t clouds, std::int64_t k,
                                                         void* scratch, float* squared,
                                                         std::int64_t* index);
