// Whole square roots.
#pragma once

#include <cmath>
#include <cstdint>

namespace grasppanda::ops {

/// The largest whole number whose square is at most `value`, which is not negative.
inline int64_t whole_square_root(int64_t value) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  constexpr int64_t kLargest = 3037000499;  // of a square within 63 bits
  if (root > kLargest) root = kLargest;
  while (root * root > value) --root;
  while (root < kLargest && (root + 1) * (root + 1) <= value) ++root;
  return root;
}

inline bool is_perfect_square(int64_t value) {
  if (value < 0) return false;
  const int64_t root = whole_square_root(value);
  return root * root == value;
}

}  // namespace grasppanda::ops
