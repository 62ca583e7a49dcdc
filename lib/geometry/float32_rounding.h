// Rounding to float32 and back that the compiler cannot lose.
#pragma once

namespace grasppanda::geometry {

/// The nearest float32, as a double. GCC 12 (seen with 12.2 at -O3) drops `(double)(float)x` on
/// neighbouring elements of an array when it makes vectors of them (-ftree-slp-vectorize); results
/// that hang on the rounding must come through here.
inline double round_to_float32(double value) {
  const volatile float narrow = static_cast<float>(value);
  return narrow;
}

}  // namespace grasppanda::geometry
