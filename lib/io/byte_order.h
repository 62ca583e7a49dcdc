// Numbers out of untrusted bytes, at any alignment, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace grasppanda::io {

/// The T that starts at `from`; the caller has checked that it lies inside.
template <class T>
T load(const std::byte* from, bool big_endian) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (big_endian != (std::endian::native == std::endian::big)) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<T>(bytes);
}

}  // namespace grasppanda::io
