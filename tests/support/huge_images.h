// Square images of one colour that are huge when decoded and small as files: written bit by bit, so
// that making them takes no time and no memory.
#pragma once

#include <cstdint>
#include <string>

namespace grasppanda::tests {

/// 8-bit RGB, black. One run of matches in a deflate block of fixed codes.
std::string huge_png(std::uint32_t side);
/// Baseline, three components without subsampling, mid-grey. Two bits for every block.
std::string huge_jpeg(std::uint16_t side);
/// 8-bit RGB, black, PackBits: all strips are the same bytes of the file.
std::string huge_tiff(std::uint32_t side);

}  // namespace grasppanda::tests
