#include "lib/ops/sparse/sparse_convolution.h"

#include <ATen/ATen.h>

#include "lib/ops/argument_check.h"
#include "lib/ops/kernel_threads.h"
#include "lib/ops/sparse/cuda_kernels.h"
#include "lib/ops/sparse/sparse_convolution_cpu.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "sparse_convolution";

std::string rows_text(std::int64_t rows, std::int64_t columns) {
  std::string text = "(";
  return text.append(std::to_string(rows)).append(", ").append(std::to_string(columns)).append(")");
}

void require_rows(std::string_view argument, const at::Tensor& tensor, std::int64_t rows,
                  std::int64_t columns, const at::Tensor& like) {
  if (tensor.dim() != 2 || tensor.size(0) != rows || tensor.size(1) != columns)
    refuse_argument(kOp, argument, "has shape " + shape_text(tensor), rows_text(rows, columns));
  require_like(kOp, argument, tensor, "kernel", like);
}

void check(const at::Tensor& out, const at::Tensor& feats, const SparseWeights& weights,
           const SharedKernelMap& map) {
  if (map == nullptr) refuse_argument(kOp, "map", "is missing", "a kernel map");
  if (map->offsets() != weights.offsets())
    refuse_argument(kOp, "kernel", "has shape " + shape_text(weights.kernel),
                    std::to_string(map->offsets()) + " offsets, as the map");
  require_rows("feats", feats, map->in_rows, weights.in_channels(), weights.kernel);
  require_rows("out", out, map->out_rows, weights.out_channels(), weights.kernel);
}

Reason declines(const at::Tensor& out, const at::Tensor& feats, const SparseWeights& weights,
                const SharedKernelMap& map, const SparseFusion&) {
  if (!feats.is_cpu()) return "the tensors are not on the CPU";
  if (feats.scalar_type() != at::kFloat || !weights.packed.defined())
    return "only float32 weights are packed";
  // A single column or row has strides of its own choice.
  if ((feats.size(1) > 1 && feats.stride(1) != 1) || (out.size(1) > 1 && out.stride(1) != 1))
    return "the channels of a row do not lie together";
  if (map->source.defined()) return "the map is a table for another device";
  return {};
}

at::Tensor pack(const at::Tensor& kernel) {
  const std::int64_t panels = (kernel.size(2) + kPanelColumns - 1) / kPanelColumns;
  at::Tensor wide =
      at::zeros({kernel.size(0), kernel.size(1), panels * kPanelColumns}, kernel.options());
  wide.narrow(2, 0, kernel.size(2)).copy_(kernel);
  // Panel after panel; in each, offset after offset: a task reads its weights front to back.
  return wide.view({kernel.size(0), kernel.size(1), panels, kPanelColumns})
      .permute({2, 0, 1, 3})
      .contiguous();
}

void run_on_cpu(const at::Tensor& out, const at::Tensor& feats, const SparseWeights& weights,
                const SharedKernelMap& map, const SparseFusion& fusion) {
  const SparseProduct product{
      .in = feats.const_data_ptr<float>(),
      .in_stride = feats.stride(0),
      .out = out.data_ptr<float>(),
      .out_stride = out.stride(0),
      .out_rows = map->out_rows,
      .packed = weights.packed.const_data_ptr<float>(),
      .depth = weights.in_channels(),
      .columns = weights.out_channels(),
      .offsets = map->offsets(),
      .first = map->first.data(),
      .in_row = map->in.const_data_ptr<std::int32_t>(),
      .out_row = map->out.const_data_ptr<std::int32_t>(),
      .bias = weights.bias.defined() ? weights.bias.const_data_ptr<float>() : nullptr,
      .add = fusion.add,
      .relu = fusion.relu,
      .one_pair_a_row = map->one_pair_a_row};
  sparse_convolution_cpu(product, kernel_threads());
}

}  // namespace

SparseWeights sparse_weights(const at::Tensor& kernel, const at::Tensor& bias) {
  if ((kernel.dim() != 2 && kernel.dim() != 3) || !kernel.is_floating_point())
    refuse_argument(
        kOp, "kernel",
        "is " + std::string(c10::toString(kernel.scalar_type())) + " " + shape_text(kernel),
        "(offsets, in, out) of a floating type");
  SparseWeights weights{(kernel.dim() == 2 ? kernel.unsqueeze(0) : kernel).contiguous(), {}, {}};
  if (bias.defined()) {
    if (bias.numel() != weights.out_channels())
      refuse_argument(kOp, "bias", "has shape " + shape_text(bias),
                      std::to_string(weights.out_channels()) + " numbers");
    require_like(kOp, "bias", bias, "kernel", kernel);
    weights.bias = bias.reshape({-1}).contiguous();
  }
  if (kernel.is_cpu() && kernel.scalar_type() == at::kFloat) weights.packed = pack(weights.kernel);
  return weights;
}

void sparse_convolution_into(at::Tensor out, const at::Tensor& feats, const SparseWeights& weights,
                             const SharedKernelMap& map, SparseFusion fusion) {
  check(out, feats, weights, map);
  sparse_convolution_kernels().run(feats.device(), out, feats, weights, map, fusion);
}

at::Tensor sparse_convolution(const at::Tensor& feats, const SparseWeights& weights,
                              const SharedKernelMap& map, SparseFusion fusion) {
  if (map == nullptr) refuse_argument(kOp, "map", "is missing", "a kernel map");
  fusion.add = false;
  at::Tensor out = at::empty({map->out_rows, weights.out_channels()}, weights.kernel.options());
  sparse_convolution_into(out, feats, weights, map, fusion);
  return out;
}

KernelList<SparseConvolutionFn>& sparse_convolution_kernels() {
  static KernelList<SparseConvolutionFn> list(
      "sparse_convolution",
      {sparse_cuda_kernels().sparse_convolution,
       {"cpu",
        [](c10::DeviceType device) {
          return device == c10::kCPU ? Reason{} : Reason{kForAnotherDevice};
        },
        declines, run_on_cpu},
       {kReference, {}, {}, sparse_convolution_reference}},
      check_sparse_convolution);
  return list;
}

}  // namespace grasppanda::ops
