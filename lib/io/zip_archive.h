// Zip archives, read in place: a stored entry is a part of the mapped file, not a copy.
// Own code because no library gives entries in place, and because every number in an archive is
// checked here before anything relies on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/io/mapped_file.h"

namespace grasppanda::io {

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;             // of the content
  std::uint64_t compressed_size = 0;  // in the archive
  std::uint64_t header_offset = 0;
  std::uint64_t end = 0;  // where the next entry or the directory begins
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  bool encrypted = false;
};

/// Reads archives with and without zip64, entries stored or deflated.
class ZipArchive {
 public:
  /// `name` stands in messages. Throws FormatError: cut off, damaged, entries that lie over one
  /// another or have equal names, an archive in several parts.
  ZipArchive(SharedBytes bytes, std::string name);
  ZipArchive(ZipArchive&&) = default;
  ZipArchive& operator=(ZipArchive&&) = default;  // not copied: by_name_ points into entries_

  /// In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;

  /// In place if stored, else inflated. The CRC-32 is checked; one of 0 counts as not recorded
  /// (PyTorch can leave it out). Throws FormatError: damaged, encrypted, another method, an entry
  /// that claims to grow beyond what deflate can reach or beyond reason (see kMax in the source).
  SharedBytes read(const ZipEntry& entry) const;

 private:
  SharedBytes bytes_;
  std::string name_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

/// The bytes of a zip archive with stored entries, piece by piece: feed entry(...), its content,
/// and finish(). Equal input gives equal bytes: every date is 1 January 1980.
class ZipWriter {
 public:
  /// The head of an entry; its content must follow. `alignment`: the content starts at a multiple
  /// of it (1 to 4096), so that it can be used in place from a mapped file.
  std::string entry(std::string name, std::uint64_t size, std::uint32_t crc,
                    std::size_t alignment = 64);
  /// The directory, which ends the archive.
  std::string finish() const;

 private:
  std::vector<ZipEntry> entries_;
  std::uint64_t offset_ = 0;
};

/// CRC-32 of zip archives; `before` continues an earlier one.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace grasppanda::io
