#include "lib/io/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace grasppanda::io {

std::string base64(std::span<const std::byte> bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // and the zero that OpenSSL writes
  constexpr std::size_t kPiece = std::size_t{3} << 20;       // no padding inside
  std::size_t written = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPiece) {
    const std::size_t size = std::min(kPiece, bytes.size() - begin);
    written += static_cast<std::size_t>(EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data() + written),
        reinterpret_cast<const unsigned char*>(bytes.data() + begin), static_cast<int>(size)));
  }
  text.resize(written);
  return text;
}

}  // namespace grasppanda::io
