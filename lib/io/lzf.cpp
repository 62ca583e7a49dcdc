#include "lib/io/lzf.h"

#include <algorithm>

namespace grasppanda::io {

bool unpack_lzf(std::span<const std::byte> packed, std::span<std::byte> out) {
  std::size_t from = 0, to = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(packed[from++]); };
  while (from < packed.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > packed.size() - from || count > out.size() - to) return false;
      std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(from), count,
                  out.begin() + static_cast<std::ptrdiff_t>(to));
      from += count;
      to += count;
      continue;
    }
    std::size_t length = control >> 5;
    if (packed.size() - from < (length == 7 ? 2u : 1u)) return false;
    if (length == 7) length += next();
    length += 2;
    const std::size_t distance = ((control & 31) << 8 | next()) + 1;
    if (distance > to || length > out.size() - to) return false;
    // Byte by byte: a copy may overlap what it writes, which repeats a short pattern.
    for (std::size_t i = 0; i < length; ++i, ++to) out[to] = out[to - distance];
  }
  return to == out.size();
}

}  // namespace grasppanda::io
