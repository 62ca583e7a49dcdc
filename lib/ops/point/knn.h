#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// distance (B, M, k): roots; squared (B, M, k): what decided; index (B, M, k) int64.
struct NearestNeighbours {
  at::Tensor distance;
  at::Tensor squared;
  at::Tensor index;
};

NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k);

}  // namespace grasppanda::ops
