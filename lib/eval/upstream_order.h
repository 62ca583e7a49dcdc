// Orders of equal scores as the public grasp evaluation has them: its two sorts are not stable, and
// which of two equal grasps comes first decides who is suppressed and who is counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace grasppanda::eval {

/// Indices of `scores`, highest first, equal ones as GNU libstdc++'s std::sort leaves them
/// (introsort; up to 16 elements stable). No NaN.
std::vector<std::int64_t> introsort_descending(std::span<const double> scores);

/// Indices of `keys`, lowest first, equal ones as NumPy 1.23's argsort leaves them (quicksort, by
/// median of three; up to 16 elements stable). No NaN.
std::vector<std::int64_t> quicksort_ascending(std::span<const double> keys);

}  // namespace grasppanda::eval
