#include "lib/ops/sparse/cuda_kernels.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <string>
#include <utility>

#include "lib/ops/argument_check.h"
#include "lib/ops/cuda_call.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "sparse_convolution";

Reason declines(const at::Tensor& out, const at::Tensor& feats, const SparseWeights& weights,
                const SharedKernelMap&, const SparseFusion&) {
  if (feats.scalar_type() != at::kFloat)
    return std::string(c10::toString(feats.scalar_type())) + " runs on the reference";
  if (weights.offsets() > kMostOffsets) return "a kernel of more than 125 offsets";
  // A single column or row has strides of its own choice.
  if ((feats.size(1) > 1 && feats.stride(1) != 1) || (out.size(1) > 1 && out.stride(1) != 1))
    return "the channels of a row do not lie together";
  return {};
}

void run_convolution(const CudaFunctions& functions, const at::Tensor& out, const at::Tensor& feats,
                     const SparseWeights& weights, const SharedKernelMap& map,
                     const SparseFusion& fusion) {
  if (out.numel() == 0) return;
  const c10::DeviceGuard guard(feats.device());
  const at::Tensor source = source_table(*map, feats.device());
  require_cuda_success(functions.sparse_convolution(
      cuda_place_of(feats),
      {.in = feats.const_data_ptr<float>(),
       .in_stride = feats.stride(0),
       .out = out.mutable_data_ptr<float>(),
       .out_stride = out.stride(0),
       .out_rows = map->out_rows,
       .weights = weights.kernel.const_data_ptr<float>(),
       .depth = weights.in_channels(),
       .columns = weights.out_channels(),
       .offsets = static_cast<int>(map->offsets()),
       .source = source.const_data_ptr<std::int32_t>(),
       .order = map->order.defined() ? map->order.const_data_ptr<std::int32_t>() : nullptr,
       .bias = weights.bias.defined() ? weights.bias.const_data_ptr<float>() : nullptr,
       .add = fusion.add,
       .relu = fusion.relu}));
}

/// The coordinates of one tensor stride on a device, and the hash table of their cells.
class DeviceLevel {
 public:
  DeviceLevel(const CudaFunctions& functions, at::Tensor coords, std::int32_t stride)
      : functions_(&functions),
        coords_(std::move(coords)),
        stride_(stride),
        slot_count_(slots_for(rows())) {}

  std::int64_t rows() const { return coords_.size(0); }
  const at::Tensor& coords() const { return coords_; }
  std::int32_t stride() const { return stride_; }

  /// The rows by their cells of edge `step`; (rows,) int32: the first row of each row's cell.
  at::Tensor put_into_cells(std::int32_t step) {
    if (!slots_.defined()) slots_ = at::empty({slot_count_}, coords_.options().dtype(at::kLong));
    at::Tensor first = at::empty({rows()}, coords_.options());
    require_cuda_success(functions_->cell_table(place(), corner(), rows(), step, slots(),
                                                slot_count_,
                                                first.mutable_data_ptr<std::int32_t>()));
    return first;
  }

  /// After put_into_cells(stride()).
  SharedKernelMap neighbours(int size) const {
    auto map = std::make_shared<KernelMap>();
    map->in_rows = map->out_rows = rows();
    map->source = at::empty({size * size * size, rows()}, coords_.options());
    require_cuda_success(functions_->neighbour_rows(place(), corner(), rows(), stride_, size,
                                                    slots(), slot_count_,
                                                    map->source.mutable_data_ptr<std::int32_t>()));
    return map;
  }

  GrasppandaCudaPlace place() const { return cuda_place_of(coords_); }
  const std::int32_t* corner() const { return coords_.const_data_ptr<std::int32_t>(); }

 private:
  unsigned long long* slots() const {
    return static_cast<unsigned long long*>(slots_.mutable_data_ptr());
  }

  const CudaFunctions* functions_;
  at::Tensor coords_, slots_;
  std::int32_t stride_;
  std::int64_t slot_count_;
};

struct DeviceHalving {
  at::Tensor coarse;
  SharedKernelMap down, up;
};

DeviceHalving halve(const CudaFunctions& functions, DeviceLevel& fine) {
  const std::int32_t step = 2 * fine.stride();
  const at::Tensor first = fine.put_into_cells(step);
  const at::TensorOptions options = first.options();
  const at::Tensor is_first = first.eq(at::arange(fine.rows(), options));
  const at::Tensor number = is_first.cumsum(0, at::kInt);
  const std::int64_t coarse_rows = fine.rows() == 0 ? 0 : number[-1].item<std::int64_t>();

  DeviceHalving result{at::empty({coarse_rows, 4}, options), {}, {}};
  auto down = std::make_shared<KernelMap>(), up = std::make_shared<KernelMap>();
  down->in_rows = up->out_rows = fine.rows();
  down->out_rows = up->in_rows = coarse_rows;
  down->source = at::full({8, coarse_rows}, -1, options);
  up->source = at::full({8, fine.rows()}, -1, options);
  up->one_pair_a_row = true;
  require_cuda_success(functions.link_levels(
      fine.place(), fine.corner(), fine.rows(), step, first.const_data_ptr<std::int32_t>(),
      number.const_data_ptr<std::int32_t>(), coarse_rows,
      result.coarse.mutable_data_ptr<std::int32_t>(), down->source.mutable_data_ptr<std::int32_t>(),
      up->source.mutable_data_ptr<std::int32_t>()));
  // Each row has one of the eight offsets: in this order a tile has few of them.
  if (fine.rows() > 0)
    up->order = up->source.argmax(0).argsort(/*stable=*/true, 0, /*descending=*/false).to(at::kInt);
  result.down = std::move(down);
  result.up = std::move(up);
  return result;
}

KernelMapPyramid make_pyramid(const CudaFunctions& functions, const at::Tensor& coords,
                              int halvings) {
  if (coords.dim() != 2 || coords.size(1) != 4 || coords.scalar_type() != at::kInt)
    refuse_argument(
        kOp, "coords",
        "is " + std::string(c10::toString(coords.scalar_type())) + " " + shape_text(coords),
        "(N, 4) int32");
  if (coords.size(0) > kLargestPosition)
    refuse_argument(kOp, "coords", "has " + std::to_string(coords.size(0)) + " rows",
                    "at most 2^30");
  const c10::DeviceGuard guard(coords.device());
  KernelMapPyramid pyramid;
  DeviceLevel level(functions, coords.contiguous(), 1);
  for (int i = 0;; ++i) {
    const at::Tensor first = level.put_into_cells(level.stride());
    if (i == 0) {  // rows of the coarser levels are right by construction
      const at::Tensor positions = level.coords().narrow(1, 1, 3);
      const at::Tensor wrong = first.ne(at::arange(level.rows(), first.options()))
                                   .logical_or_((positions > kLargestPosition).any(1))
                                   .logical_or_((positions < -kLargestPosition).any(1));
      if (wrong.any().item<bool>())
        refuse_argument(kOp, "coords",
                        "holds a coordinate twice or beyond 2^30 in row " +
                            std::to_string(wrong.nonzero()[0].item<std::int64_t>()),
                        "each coordinate once, within 2^30");
      pyramid.wide = level.neighbours(5);
    }
    pyramid.coords.push_back(level.coords());
    pyramid.around.push_back(level.neighbours(3));
    if (i == halvings) return pyramid;
    DeviceHalving half = halve(functions, level);
    pyramid.down.push_back(std::move(half.down));
    pyramid.up.push_back(std::move(half.up));
    level = DeviceLevel(functions, half.coarse, 2 * level.stride());
  }
}

SparseCudaKernels make_kernels(const CudaFunctionsOf& functions,
                               Reason (*missing)(c10::DeviceType)) {
  return {{"cuda", missing, declines,
           [functions](const at::Tensor& out, const at::Tensor& feats, const SparseWeights& weights,
                       const SharedKernelMap& map, const SparseFusion& fusion) {
             run_convolution(functions(), out, feats, weights, map, fusion);
           }},
          [functions](const at::Tensor& coords, int halvings) {
            return make_pyramid(functions(), coords, halvings);
          }};
}

}  // namespace

SparseCudaKernels sparse_cuda_kernels() {
  return make_kernels(functions_of_cuda_module(), missing_cuda_module);
}

SparseCudaKernels sparse_cuda_kernels_of(const CudaFunctions& functions) {
  return make_kernels([functions]() -> const CudaFunctions& { return functions; }, nullptr);
}

}  // namespace grasppanda::ops
