#include "lib/io/image_size.h"

#include "lib/io/format_error.h"
#include "lib/io/image.h"

namespace grasppanda::io {

std::uint64_t check_image_size(const ImageClaim& claim, const std::string& name) {
  const std::string size = std::to_string(claim.width) + " x " + std::to_string(claim.height);
  if (claim.width == 0 || claim.height == 0 || claim.channels == 0) {
    throw FormatError(name + ": a picture of " + size + " pixels with " +
                      std::to_string(claim.channels) + " channels has no content");
  }
  const auto in_memory = static_cast<std::uint64_t>(kMaxImageBytes);
  // In pieces any picture that a disk holds fits; the sum must still fit 64 bits.
  const std::uint64_t limit = claim.in_pieces ? std::uint64_t{1} << 50 : in_memory;
  const std::uint64_t pixel_bytes = claim.channels * (claim.bits / 8);
  if (claim.in_pieces && claim.width > in_memory / 64 / pixel_bytes) {
    throw FormatError(name + ": a picture of " + size + " pixels has rows that are too long");
  }
  // Divided, not multiplied: the claims are up to 32 bits each and untrusted.
  if (claim.width > limit / pixel_bytes || claim.height > limit / pixel_bytes / claim.width) {
    throw FormatError(name + ": a picture of " + size + " pixels with " +
                      std::to_string(claim.channels) + " channels needs more than " +
                      std::to_string(limit >> 30) + " GiB decoded, the limit; cut it into tiles");
  }
  const std::uint64_t bytes = claim.width * claim.height * pixel_bytes;
  if (claim.max_bytes_per_file_byte != 0 &&
      bytes / claim.max_bytes_per_file_byte > claim.file_bytes) {
    throw FormatError(name + ": claims " + size + " pixels, but a file of " +
                      std::to_string(claim.file_bytes) +
                      " bytes cannot hold them; it is cut off or damaged");
  }
  return bytes;
}

}  // namespace grasppanda::io
