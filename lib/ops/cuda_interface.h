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

/// Nested cylinders, several of them in one pass. rotation (clouds, m, 9), row-major; `hmax`:
/// `ends` upper ends, host memory. index (clouds, ends, m, nsample), count (clouds, ends, m);
/// hand_back (clouds, m): 1 where the reference must answer all ends of the query.
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

// Sparse tensors. Coordinates (rows, 4) int32: batch item, x, y, z. A slot of a hash table is 64
// bits, their number a power of two of at least twice the rows (coordinate.h).

/// The rows by the cell of edge `step` they lie in; with the tensor stride as step, by themselves.
/// first (rows,): the first row of each row's cell; null: not wanted.
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_cell_table(
    GrasppandaCudaPlace place, const std::int32_t* coords, std::int64_t rows, std::int32_t step,
    unsigned long long* slots, std::int64_t slot_count, std::int32_t* first);

/// The row around every row under each offset of a kernel of `size` 1, 3 or 5, or -1, from the
/// table with the tensor stride as step. source (size^3, rows).
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_neighbour_rows(
    GrasppandaCudaPlace place, const std::int32_t* coords, std::int64_t rows, std::int32_t stride,
    int size, const unsigned long long* slots, std::int64_t slot_count, std::int32_t* source);

/// From the rows of one tensor stride to those of the next. `step`: twice the tensor stride;
/// `first`: as above; number (rows,): how many rows up to this one are the first of their cell.
/// Writes coarse (coarse_rows, 4), and the links: down (8, coarse_rows) and up (8, rows), both
/// filled with -1 before.
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_link_levels(
    GrasppandaCudaPlace place, const std::int32_t* coords, std::int64_t rows, std::int32_t step,
    const std::int32_t* first, const std::int32_t* number, std::int64_t coarse_rows,
    std::int32_t* coarse, std::int32_t* down, std::int32_t* up);

/// out[u] = relu(start + bias + sum over j of in[source[j][u]] * weights[j]); start: `out` where
/// `add`, else 0.
struct GrasppandaSparseProduct {
  const float* in;  // rows of `depth` floats, `in_stride` floats apart
  std::int64_t in_stride;
  float* out;  // rows of `columns` floats
  std::int64_t out_stride, out_rows;
  const float* weights;  // (offsets, depth, columns)
  std::int64_t depth, columns;
  int offsets;                 // at most 125
  const std::int32_t* source;  // (offsets, out_rows): an input row, or -1
  const std::int32_t* order;   // (out_rows,): the output rows as tiles take them; null: as they are
  const float* bias;           // (columns,) or null
  bool add, relu;
};
GRASPPANDA_CUDA_FUNCTION const char* grasppanda_cuda_sparse_convolution(
    GrasppandaCudaPlace place, GrasppandaSparseProduct product);
