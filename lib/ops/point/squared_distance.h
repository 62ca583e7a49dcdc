// The squared distance of ball_query and knn, and thresholds as the contract rounds them.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// How three squares are added. LibTorch's sum(-1) over an axis of length 3 adds left to right on
/// the CPU and the middle one last on CUDA; the results differ in the last bit for one triple in
/// six, so each device has its own right answer.
enum class SumOrder { left_to_right, middle_last };  // (x + y) + z, (x + z) + y

SumOrder sum_order_on(const at::Device& device);

/// Squared distances of queries (rows, 3) to every support point, written to `squared` (rows, N);
/// `term` (rows, N) is scratch. `axes` (3, N) holds the support axis by axis, contiguous.
///
/// Every difference, square and sum is rounded on its own. The sum is written out because a
/// reduction over an axis of length 3 is several times slower.
void write_squared_distances(const at::Tensor& queries, const at::Tensor& axes, SumOrder order,
                             at::Tensor squared, at::Tensor term);

/// A threshold given in double, rounded once to the type of `like`; a tensor without axes.
at::Tensor rounded_threshold(double value, const at::Tensor& like);

}  // namespace grasppanda::ops
