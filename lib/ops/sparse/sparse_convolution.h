#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/sparse/sparse_layer.h"

namespace grasppanda::ops {

/// The weights of a sparse convolution, with the form of them that the CPU kernel reads.
struct SparseWeights {
  at::Tensor kernel;  // (K, in, out); offsets in the order of kernel_offsets
  at::Tensor bias;    // (out,), or undefined
  at::Tensor packed;  // float32 on the CPU: panels of 32 columns; else undefined
  std::int64_t offsets() const { return kernel.size(0); }
  std::int64_t in_channels() const { return kernel.size(1); }
  std::int64_t out_channels() const { return kernel.size(2); }
};
/// kernel (K, in, out) or (in, out), bias (out,) or (1, out) or undefined; any floating type.
SparseWeights sparse_weights(const at::Tensor& kernel, const at::Tensor& bias = {});

/// What the sum starts from and what follows it.
struct SparseFusion {
  bool add = false;   // on top of what `out` holds (a residual)
  bool relu = false;  // of the finished sum
};

/// Convolution of a sparse tensor: out[u] = relu(start + bias + sum of in[v] * W_j over the pairs
/// (v, u) of each offset j in the map).
///
/// feats    (map.in_rows, in) floating type, any device; rows may lie apart (a slice of columns)
/// weights  of that type and device
/// map      built for this kernel by kernel_map.h or kernel_map_pyramid.h, on any device
/// returns  (map.out_rows, out)
///
/// Contract: the products of an offset are added in ascending j, as MinkowskiEngine's CPU code
/// does. Sums round as a matrix product does: kernels agree within 4e-6 of start + sum |in| |W|,
/// not to the bit; each is the same on any number of threads, and a row does not depend on the
/// others. Throws ArgumentError naming the argument, what it got and what it wants; BackendError
/// when `compiled` is selected and cannot run. Cost O(pairs * in * out) time, no memory besides the
/// result on the CPU kernel. Config key `sparse_convolution`.
/// Source: Choy et al., "4D Spatio-Temporal ConvNets", 2019; details in docs/ops/sparse.md
at::Tensor sparse_convolution(const at::Tensor& feats, const SparseWeights& weights,
                              const SharedKernelMap& map, SparseFusion fusion = {});

/// The same into `out` (map.out_rows, out), whose rows may lie apart; it must not share memory with
/// the rows of `feats`.
void sparse_convolution_into(at::Tensor out, const at::Tensor& feats, const SparseWeights& weights,
                             const SharedKernelMap& map, SparseFusion fusion = {});

/// What defines the result.
void sparse_convolution_reference(at::Tensor out, const at::Tensor& feats,
                                  const SparseWeights& weights, const SharedKernelMap& map,
                                  SparseFusion fusion);

using SparseConvolutionFn = void(at::Tensor, at::Tensor, SparseWeights, SharedKernelMap,
                                 SparseFusion);
KernelList<SparseConvolutionFn>& sparse_convolution_kernels();

/// One call, seeded: shared by self-check, tests, `ops check` and `ops bench`.
struct SparseConvolutionCase {
  std::string name;
  at::Tensor coords;        // of a pyramid of two levels to compare besides, or undefined
  at::Tensor feats, start;  // start: what `out` holds before the call
  SparseWeights weights;
  SharedKernelMap map;
  SparseFusion fusion;
};
std::vector<SparseConvolutionCase> sparse_convolution_cases();
/// (rows, 4) int32: different coordinates in a box of `extent` around the origin, two batch items,
/// no order.
at::Tensor seeded_coordinates(std::int64_t rows, std::int32_t extent, std::uint64_t seed);
/// On a CUDA device also of the maps that are made there.
std::string check_sparse_convolution(const Kernel<SparseConvolutionFn>& kernel, c10::Device device);
SparseConvolutionCase random_sparse_convolution_case(std::uint64_t seed, std::int64_t rows);
std::string compare_sparse_convolution(const Kernel<SparseConvolutionFn>& kernel,
                                       c10::Device device, const SparseConvolutionCase& c);
/// A layer with ReLU over a surface of about `rows` voxels in curve order.
SparseConvolutionCase sparse_convolution_scene(std::int64_t rows, std::int64_t kernel_size,
                                               std::int64_t in, std::int64_t out);
/// Where `got` is farther than the contract allows from the result in float64; empty if nowhere.
std::string beyond_rounding(const SparseConvolutionCase& c, const at::Tensor& got);

}  // namespace grasppanda::ops
