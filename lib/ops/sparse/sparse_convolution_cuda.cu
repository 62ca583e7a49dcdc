// Implicit product: a block keeps a tile of output rows and columns in registers and walks over the
// offsets that any of its rows has, a piece of the depth at a time: input rows are gathered into
// shared memory, where all columns read them. Sums are the same for every shape of tile.
#include <cmath>

#include "lib/ops/launch_cuda.h"
#include "lib/ops/sparse/coordinate.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kDepth = 16;  // of a piece
constexpr unsigned kPiece = 4;   // rows and columns of a thread; floats of a load

struct alignas(16) Quad {
  float v[kPiece];
};

GRASPPANDA_HOST_DEVICE inline float multiply_add(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

/// Where a block stands: offset and begin of the piece of its depth.
struct Step {
  int offset;
  std::int64_t depth;
};

/// The parts of a block of kRows x kColumns. kQuads: every row begins at a multiple of 16 bytes and
/// has a multiple of four columns.
template <unsigned kRows, unsigned kColumns, bool kQuads>
struct Tile {
  static constexpr unsigned kThreads = kRows / kPiece * (kColumns / kPiece);
  static constexpr unsigned kColumnQuads = kColumns / kPiece, kDepthQuads = kDepth / kPiece;
  static constexpr unsigned kMasks = kRows / kWarp;  // words of one bit a row
  static constexpr unsigned kInLoads = kRows * kDepthQuads / kThreads;
  static constexpr unsigned kWeightLoads = kDepth * kColumnQuads / kThreads;
  static_assert(kRows % kWarp == 0 && kInLoads > 0 && kWeightLoads > 0, "whole loads a thread");

  /// `count` floats of a row from `at` on; zeros beyond its end.
  static __device__ Quad load(const float* row, std::int64_t at, std::int64_t end) {
    Quad quad = {{0, 0, 0, 0}};
    if (kQuads) {
      if (at < end) quad = *reinterpret_cast<const Quad*>(row + at);
    } else {
      GRASPPANDA_UNROLL
      for (unsigned i = 0; i < kPiece; ++i)
        if (at + i < end) quad.v[i] = row[at + i];
    }
    return quad;
  }

  static __device__ void store(float* row, std::int64_t at, std::int64_t end, const Quad& quad) {
    if (kQuads) {
      if (at < end) *reinterpret_cast<Quad*>(row + at) = quad;
    } else {
      GRASPPANDA_UNROLL
      for (unsigned i = 0; i < kPiece; ++i)
        if (at + i < end) row[at + i] = quad.v[i];
    }
  }

  static __device__ bool any(const unsigned* masks) {
    unsigned all = 0;
    GRASPPANDA_UNROLL
    for (unsigned i = 0; i < kMasks; ++i) all |= masks[i];
    return all != 0;
  }

  /// The next piece; false behind the last.
  static __device__ bool advance(Step& step, const GrasppandaSparseProduct& p,
                                 const unsigned (*met)[kMasks]) {
    step.depth += kDepth;
    if (step.offset >= 0 && step.depth < p.depth) return true;
    step.depth = 0;
    do ++step.offset;
    while (step.offset < p.offsets && !any(met[step.offset]));
    return step.offset < p.offsets;
  }
};

template <unsigned kRows, unsigned kColumns, bool kQuads>
__global__ void __launch_bounds__(kRows* kColumns / 16) convolve(GrasppandaSparseProduct p) {
  using T = Tile<kRows, kColumns, kQuads>;
  __shared__ std::int32_t row_of[kRows];
  __shared__ unsigned met[kMostOffsets][T::kMasks];  // bit r: tile row r has an input row
  __shared__ Quad in_tile[2][kDepth][kRows / kPiece + 1];
  __shared__ Quad weight_tile[2][kDepth][T::kColumnQuads];

  const unsigned thread = threadIdx.x;
  const std::int64_t column_tiles = (p.columns + kColumns - 1) / kColumns;
  const std::int64_t first_row = blockIdx.x / column_tiles * kRows;
  const std::int64_t first_column = blockIdx.x % column_tiles * kColumns;

  for (unsigned r = thread; r < kRows; r += T::kThreads) {
    const std::int64_t place = first_row + r;
    row_of[r] = place >= p.out_rows  ? -1
                : p.order == nullptr ? static_cast<std::int32_t>(place)
                                     : p.order[place];
  }
  __syncthreads();
  for (unsigned item = thread / kWarp; item < p.offsets * T::kMasks; item += T::kThreads / kWarp) {
    const unsigned offset = item / T::kMasks, mask = item % T::kMasks;
    const std::int32_t row = row_of[mask * kWarp + thread % kWarp];
    const bool has = row >= 0 && p.source[offset * p.out_rows + row] >= 0;
    const unsigned votes = __ballot_sync(kAllLanes, has);
    if (thread % kWarp == 0) met[offset][mask] = votes;
  }
  __syncthreads();

  const unsigned own_column = thread % T::kColumnQuads, own_row = thread / T::kColumnQuads;
  const std::int64_t column = first_column + own_column * kPiece;
  Quad sum[kPiece];
  GRASPPANDA_UNROLL
  for (unsigned r = 0; r < kPiece; ++r) {
    sum[r] = {{0, 0, 0, 0}};
    const std::int32_t row = row_of[own_row * kPiece + r];
    if (p.add && row >= 0) sum[r] = T::load(p.out + row * p.out_stride, column, p.columns);
    GRASPPANDA_UNROLL
    for (unsigned c = 0; c < kPiece; ++c)
      if (p.bias != nullptr && column + c < p.columns) sum[r].v[c] += p.bias[column + c];
  }

  // While a piece is multiplied the next one is on its way into registers; two buffers, so that one
  // barrier a piece is enough.
  Quad in_ahead[T::kInLoads], weights_ahead[T::kWeightLoads];
  const auto load_ahead = [&](const Step& step) {
    GRASPPANDA_UNROLL
    for (unsigned i = 0; i < T::kInLoads; ++i) {
      const unsigned item = thread + i * T::kThreads;
      const std::int32_t row = row_of[item / T::kDepthQuads];
      const std::int32_t from = row < 0 ? -1 : p.source[step.offset * p.out_rows + row];
      in_ahead[i] = {{0, 0, 0, 0}};
      if (from >= 0)
        in_ahead[i] = T::load(p.in + from * p.in_stride,
                              step.depth + item % T::kDepthQuads * kPiece, p.depth);
    }
    GRASPPANDA_UNROLL
    for (unsigned i = 0; i < T::kWeightLoads; ++i) {
      const unsigned item = thread + i * T::kThreads;
      const std::int64_t depth = step.depth + item / T::kColumnQuads;
      weights_ahead[i] = {{0, 0, 0, 0}};
      if (depth < p.depth)
        weights_ahead[i] = T::load(p.weights + (step.offset * p.depth + depth) * p.columns,
                                   first_column + item % T::kColumnQuads * kPiece, p.columns);
    }
  };

  Step step{-1, 0};
  bool more = T::advance(step, p, met);
  if (more) load_ahead(step);
  for (unsigned buffer = 0; more; buffer ^= 1) {
    GRASPPANDA_UNROLL
    for (unsigned i = 0; i < T::kInLoads; ++i) {
      const unsigned item = thread + i * T::kThreads, r = item / T::kDepthQuads;
      GRASPPANDA_UNROLL
      for (unsigned k = 0; k < kPiece; ++k)
        in_tile[buffer][item % T::kDepthQuads * kPiece + k][r / kPiece].v[r % kPiece] =
            in_ahead[i].v[k];
    }
    GRASPPANDA_UNROLL
    for (unsigned i = 0; i < T::kWeightLoads; ++i) {
      const unsigned item = thread + i * T::kThreads;
      weight_tile[buffer][item / T::kColumnQuads][item % T::kColumnQuads] = weights_ahead[i];
    }
    __syncthreads();
    // An absent row takes no part, whatever the weights: zero times infinity is not zero.
    const unsigned first_bit = own_row * kPiece;
    const unsigned mine = met[step.offset][first_bit / kWarp] >> first_bit % kWarp & 15u;
    more = T::advance(step, p, met);
    if (more) load_ahead(step);
    if (mine == 0) continue;
    GRASPPANDA_UNROLL
    for (unsigned k = 0; k < kDepth; ++k) {
      const Quad in = in_tile[buffer][k][own_row], weights = weight_tile[buffer][k][own_column];
      GRASPPANDA_UNROLL
      for (unsigned r = 0; r < kPiece; ++r) {
        if ((mine >> r & 1u) == 0) continue;
        GRASPPANDA_UNROLL
        for (unsigned c = 0; c < kPiece; ++c)
          sum[r].v[c] = multiply_add(in.v[r], weights.v[c], sum[r].v[c]);
      }
    }
  }

  GRASPPANDA_UNROLL
  for (unsigned r = 0; r < kPiece; ++r) {
    const std::int32_t row = row_of[own_row * kPiece + r];
    if (row < 0) continue;
    GRASPPANDA_UNROLL
    for (unsigned c = 0; c < kPiece; ++c)
      if (p.relu && sum[r].v[c] < 0) sum[r].v[c] = 0;  // NaN stays
    T::store(p.out + row * p.out_stride, column, p.columns, sum[r]);
  }
}

std::int64_t tiles_of(const GrasppandaSparseProduct& p, unsigned rows, unsigned columns) {
  return (p.out_rows + rows - 1) / rows * ((p.columns + columns - 1) / columns);
}

template <unsigned kRows, unsigned kColumns>
Failure run(const GrasppandaCudaPlace& place, const GrasppandaSparseProduct& p) {
  const auto even = [](const void* memory, std::int64_t stride) {
    return reinterpret_cast<std::uintptr_t>(memory) % sizeof(Quad) == 0 && stride % kPiece == 0;
  };
  const bool quads = even(p.in, p.in_stride) && even(p.out, p.out_stride) &&
                     even(p.weights, p.columns) && p.depth % kPiece == 0;
  const auto blocks = static_cast<unsigned>(tiles_of(p, kRows, kColumns));
  constexpr unsigned threads = kRows * kColumns / (kPiece * kPiece);
  return quads ? launch(place, convolve<kRows, kColumns, true>, blocks, threads, p)
               : launch(place, convolve<kRows, kColumns, false>, blocks, threads, p);
}

/// Fewer tiles than this leave a large device idle: two for each of its processors.
constexpr std::int64_t kFewTiles = 264;

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_sparse_convolution(GrasppandaCudaPlace place,
                                               GrasppandaSparseProduct p) {
  using namespace grasppanda::ops::device;
  if (p.out_rows == 0 || p.columns == 0) return nullptr;
  if (p.offsets > grasppanda::ops::kMostOffsets) return "more than 125 offsets";
  if (tiles_of(p, 32, 32) > 0x7fffffff) return "more than 2^31 tiles";
  if (const Failure failure = use_device(place)) return failure;
  const bool wide = p.columns > 32;
  if (tiles_of(p, 64, wide ? 64 : 32) < kFewTiles) return run<32, 32>(place, p);
  return wide ? run<64, 64>(place, p) : run<64, 32>(place, p);
}
