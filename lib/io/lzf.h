// LZF, the compression inside binary_compressed PCD files.
#pragma once

#include <cstddef>
#include <span>

namespace grasppanda::io {

/// Unpacks into the whole of `out`. False when the packed bytes are damaged or do not make exactly
/// so many bytes. A run of literals is a count byte c < 32 and c + 1 bytes; a copy is length - 2 in
/// the upper three bits (7: the next byte is added), the distance - 1 in the lower five and a byte.
bool unpack_lzf(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace grasppanda::io
