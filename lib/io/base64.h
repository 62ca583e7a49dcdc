// Bytes as text (RFC 4648), for pages that hold their pictures themselves.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace grasppanda::io {

/// With padding, without line feeds.
std::string base64(std::span<const std::byte> bytes);

}  // namespace grasppanda::io
