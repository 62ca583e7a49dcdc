// Non-maximum suppression as the public grasp evaluation runs it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace grasppanda::eval {

/// Rows that are left, best first: from the front of the order by score, each grasp removes every
/// later one that is nearer than 3 cm and turned by less than 30 degrees, both strict. Equal scores
/// as introsort_descending leaves them. `rows`: 17 numbers each, all finite.
std::vector<std::int64_t> suppressed_order(std::span<const double> rows);

}  // namespace grasppanda::eval
