// The records that a zip archive is made of (APPNOTE 6.3): the private half of zip_archive.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/zip_archive.h"

namespace grasppanda::io {

inline constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50,
                               kEndOfDirectory = 0x06054b50, kEndOfDirectory64 = 0x06064b50,
                               kLocator64 = 0x07064b50;
inline constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56,
                             kLocatorSize = 20;

/// The directory of an archive; no entry lies outside of it or over another.
std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> bytes, const std::string& name);

/// Where the content of an entry starts; all of it lies inside the archive.
std::size_t zip_content_offset(std::span<const std::byte> bytes, const ZipEntry& entry,
                               const std::string& name);

/// Inflates a raw deflate stream; false unless it is sound and fills `to` exactly.
bool inflate_whole(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace grasppanda::io
