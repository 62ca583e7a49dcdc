// The maximum over the messages of a group.
#pragma once

#include <algorithm>
#include <cstdint>

namespace grasppanda::models {

/// `out` becomes the larger of itself and `row`, channel by channel; NaN spreads, as it does in
/// LibTorch's amax, so that it is seen where grasps are decoded.
inline void take_maximum(const float* row, std::int64_t channels, float* out) {
  for (std::int64_t c = 0; c < channels; ++c)
    out[c] = row[c] > out[c] || row[c] != row[c] ? row[c] : out[c];
}

/// Over `count` >= 1 consecutive rows.
inline void maximum_of_rows(const float* rows, std::int64_t count, std::int64_t channels,
                            float* out) {
  std::copy_n(rows, channels, out);
  for (std::int64_t i = 1; i < count; ++i) take_maximum(rows + i * channels, channels, out);
}

}  // namespace grasppanda::models
