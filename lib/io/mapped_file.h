// Bytes with shared ownership, and files as such bytes: memory-mapped, so that a checkpoint of
// gigabytes costs only the pages that are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace grasppanda::io {

/// A run of bytes and the share in whatever holds them (heap memory or a mapped file).
struct SharedBytes {
  std::shared_ptr<const std::byte> data;
  std::size_t size = 0;

  std::span<const std::byte> span() const { return {data.get(), size}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data.get()), size}; }
  /// A part that keeps the whole alive. The caller has checked that it lies inside.
  SharedBytes part(std::size_t offset, std::size_t length) const {
    return {{data, data.get() + offset}, length};
  }
};

/// `size` bytes of heap memory, not initialised, aligned to 64. The caller has checked the size.
std::shared_ptr<std::byte> allocate_bytes(std::size_t size);

/// Maps a regular file for reading; an empty file gives no bytes. It stays mapped as long as any
/// share lives. A file that another process shortens meanwhile is outside of what can be caught.
/// Throws FormatError: missing, a folder, no permission.
SharedBytes map_file(const std::filesystem::path& path);

}  // namespace grasppanda::io
