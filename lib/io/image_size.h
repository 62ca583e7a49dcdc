// The check that stands before every picture's memory.
#pragma once

#include <cstdint>
#include <string>

namespace grasppanda::io {

/// What a picture's header claims, and what its file could hold at best.
struct ImageClaim {
  std::uint64_t width = 0, height = 0;
  std::uint64_t channels = 0;  // as they will be decoded
  std::uint64_t bits = 8;      // likewise: 8 or 16
  std::uint64_t file_bytes = 0;
  std::uint64_t max_bytes_per_file_byte = 0;  // the compression's limit; 0: none is known
  bool in_pieces = false;                     // never whole in memory: only a row has to fit
};

/// Decoded size in bytes. Throws FormatError, naming figures and limit, when a side is 0, when it
/// is above kMaxImageBytes, or when the file is too short to hold so much.
std::uint64_t check_image_size(const ImageClaim& claim, const std::string& name);

}  // namespace grasppanda::io
