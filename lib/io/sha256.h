// SHA-256, by OpenSSL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace grasppanda::io {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);
/// Of a whole file, read in blocks. Throws FormatError if it cannot be read.
std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace grasppanda::io
