#include "lib/ops/point/serialization_code.h"

#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "serialization_code";

using Axes = std::array<uint64_t, 3>;

bool is_hilbert(SerializationOrder order) {
  return order == SerializationOrder::hilbert || order == SerializationOrder::hilbert_trans;
}
bool is_transposed(SerializationOrder order) {
  return order == SerializationOrder::z_trans || order == SerializationOrder::hilbert_trans;
}

// One step of Skilling's transform for bit `q` of axis i; it undoes itself.
void exchange(Axes& x, int i, uint64_t q) {
  const uint64_t below = q - 1;
  if (x[i] & q) {
    x[0] ^= below;
  } else {
    const uint64_t differing = (x[0] ^ x[i]) & below;
    x[0] ^= differing;
    x[i] ^= differing;
  }
}

// From axes to the transposed Hilbert index.
void to_hilbert(Axes& x, int64_t depth) {
  const uint64_t top = uint64_t{1} << (depth - 1);
  for (uint64_t q = top; q > 1; q >>= 1)
    for (int i = 0; i < 3; ++i) exchange(x, i, q);
  x[1] ^= x[0];
  x[2] ^= x[1];
  uint64_t turned = 0;
  for (uint64_t q = top; q > 1; q >>= 1)
    if (x[2] & q) turned ^= q - 1;
  for (uint64_t& axis : x) axis ^= turned;
}

void from_hilbert(Axes& x, int64_t depth) {
  // `turned` has the parity of the higher bits, so x[2] holds a prefix parity of what it was.
  const uint64_t turned = x[2] >> 1;
  for (uint64_t& axis : x) axis ^= turned;
  x[2] ^= x[1];
  x[1] ^= x[0];
  for (uint64_t q = 2; q < uint64_t{1} << depth; q <<= 1)
    for (int i = 2; i >= 0; --i) exchange(x, i, q);
}

uint64_t interleave(const Axes& x, int64_t depth) {
  uint64_t code = 0;
  for (int64_t bit = 0; bit < depth; ++bit)
    for (int axis = 0; axis < 3; ++axis) code |= (x[axis] >> bit & 1) << (3 * bit + 2 - axis);
  return code;
}

Axes separate(uint64_t code, int64_t depth) {
  Axes x{};
  for (int64_t bit = 0; bit < depth; ++bit)
    for (int axis = 0; axis < 3; ++axis) x[axis] |= (code >> (3 * bit + 2 - axis) & 1) << bit;
  return x;
}

bool is_index_type(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kLong || tensor.scalar_type() == at::kInt;
}

void require_depth(int64_t depth) {
  if (depth < 1 || depth > 16)
    refuse_argument(kOp, "depth", "is " + std::to_string(depth), "1 to 16");
}

void require_range(std::string_view argument, const at::Tensor& tensor, int64_t limit) {
  if (tensor.numel() == 0) return;
  const int64_t low = tensor.min().item<int64_t>(), high = tensor.max().item<int64_t>();
  if (low < 0 || high > limit)
    refuse_argument(kOp, argument, "holds " + std::to_string(low < 0 ? low : high),
                    "0 to " + std::to_string(limit));
}

at::Tensor on_cpu(const at::Tensor& tensor) {
  return tensor.to(at::kCPU, at::kLong).contiguous();
}

}  // namespace

SerializationOrder parse_serialization_order(std::string_view name) {
  if (name == "z") return SerializationOrder::z;
  if (name == "z-trans") return SerializationOrder::z_trans;
  if (name == "hilbert") return SerializationOrder::hilbert;
  if (name == "hilbert-trans") return SerializationOrder::hilbert_trans;
  refuse_argument(kOp, "order", "is '" + std::string(name) + "'",
                  "z, z-trans, hilbert or hilbert-trans");
}

at::Tensor serialization_code(const at::Tensor& coords, const at::Tensor& batch, int64_t depth,
                              SerializationOrder order) {
  require_depth(depth);
  if (coords.dim() != 2 || coords.size(1) != 3)
    refuse_argument(kOp, "coords", "has shape " + shape_text(coords), "(N, 3)");
  if (!is_index_type(coords))
    refuse_argument(kOp, "coords", "is " + std::string(c10::toString(coords.scalar_type())),
                    "int32 or int64");
  require_range("coords", coords, (int64_t{1} << depth) - 1);
  if (batch.defined()) {
    if (batch.dim() != 1 || batch.size(0) != coords.size(0))
      refuse_argument(kOp, "batch", "has shape " + shape_text(batch),
                      "(N,) with N = " + std::to_string(coords.size(0)));
    if (!is_index_type(batch))
      refuse_argument(kOp, "batch", "is " + std::string(c10::toString(batch.scalar_type())),
                      "int32 or int64");
    require_range("batch", batch, std::numeric_limits<int64_t>::max() >> (3 * depth));
  }
  const at::Tensor voxels = on_cpu(coords);
  const at::Tensor batches = batch.defined() ? on_cpu(batch) : at::Tensor();
  at::Tensor codes = at::empty({coords.size(0)}, at::kLong);
  const int64_t* xyz = voxels.data_ptr<int64_t>();
  const int64_t* item = batches.defined() ? batches.data_ptr<int64_t>() : nullptr;
  int64_t* code = codes.data_ptr<int64_t>();
  for (int64_t i = 0; i < codes.size(0); ++i) {
    Axes x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = static_cast<uint64_t>(xyz[3 * i + axis]);
    if (is_transposed(order)) std::swap(x[0], x[1]);
    if (is_hilbert(order)) to_hilbert(x, depth);
    const uint64_t high = item == nullptr ? 0 : static_cast<uint64_t>(item[i]) << (3 * depth);
    code[i] = static_cast<int64_t>(high | interleave(x, depth));
  }
  return codes.to(coords.device());
}

SerializedVoxels serialization_decode(const at::Tensor& code, int64_t depth,
                                      SerializationOrder order) {
  require_depth(depth);
  if (code.dim() != 1 || !is_index_type(code))
    refuse_argument(kOp, "code",
                    "is " + std::string(c10::toString(code.scalar_type())) + " " + shape_text(code),
                    "int64 (N,)");
  require_range("code", code, std::numeric_limits<int64_t>::max());
  const at::Tensor codes = on_cpu(code);
  SerializedVoxels voxels{at::empty({code.size(0), 3}, at::kLong),
                          at::empty({code.size(0)}, at::kLong)};
  int64_t* xyz = voxels.coords.data_ptr<int64_t>();
  int64_t* batch = voxels.batch.data_ptr<int64_t>();
  for (int64_t i = 0; i < codes.size(0); ++i) {
    const auto whole = static_cast<uint64_t>(codes.data_ptr<int64_t>()[i]);
    Axes x = separate(whole, depth);
    if (is_hilbert(order)) from_hilbert(x, depth);
    if (is_transposed(order)) std::swap(x[0], x[1]);
    for (int axis = 0; axis < 3; ++axis) xyz[3 * i + axis] = static_cast<int64_t>(x[axis]);
    batch[i] = static_cast<int64_t>(whole >> (3 * depth));
  }
  return {voxels.coords.to(code.device()), voxels.batch.to(code.device())};
}

}  // namespace grasppanda::ops
