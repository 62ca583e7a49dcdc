#include "lib/geometry/float32_rounding.h"

#include <array>

#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

// A loop that compilers make vectors of.
[[gnu::noinline]] std::array<double, 3> scaled(const std::array<double, 3>& values, double scale) {
  std::array<double, 3> result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = scale * geometry::round_to_float32(values[i]);
  return result;
}

}  // namespace

TEST_CASE("rounding to float32 survives the optimiser") {
  const std::array<double, 3> rounded = scaled({0.1, 0.1, 0.1}, 1.0);
  for (const double value : rounded) CHECK(value == 0.100000001490116119384765625);
}

}  // namespace grasppanda::tests
