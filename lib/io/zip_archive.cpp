#include "lib/io/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"
#include "lib/io/zip_records.h"

namespace grasppanda::io {

namespace {

// Deflate cannot grow data further than this; a larger claim is a lie.
constexpr std::uint64_t kMaxDeflateRatio = 1032;
// Content this much larger than its archive entry is a bomb rather than data, once it is large.
constexpr std::uint64_t kMaxPlausibleRatio = 200;
constexpr std::uint64_t kMaxImplausibleSize = std::uint64_t{256} << 20;

}  // namespace

ZipArchive::ZipArchive(SharedBytes bytes, std::string name)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      entries_(read_zip_directory(bytes_.span(), name_)) {
  by_name_.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!by_name_.emplace(entries_[i].name, i).second) {
      throw FormatError(name_ + ": damaged zip archive: two entries have the name " +
                        in_quotes(entries_[i].name));
    }
  }
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

SharedBytes ZipArchive::read(const ZipEntry& entry) const {
  const auto fail = [&](const std::string& why) -> FormatError {
    return FormatError(name_ + ": zip entry " + in_quotes(entry.name) + ' ' + why);
  };
  if (entry.encrypted) throw fail("is encrypted");
  if (entry.method != 0 && entry.method != 8) {
    throw fail("is compressed by method " + std::to_string(entry.method) +
               "; stored and deflated entries are read");
  }
  const SharedBytes packed = bytes_.part(zip_content_offset(bytes_.span(), entry, name_),
                                         static_cast<std::size_t>(entry.compressed_size));
  SharedBytes content = packed;
  if (entry.method == 8) {
    const std::uint64_t ratio = entry.size / std::max<std::uint64_t>(entry.compressed_size, 1);
    if (ratio > kMaxDeflateRatio ||
        (entry.size > kMaxImplausibleSize && ratio > kMaxPlausibleRatio)) {
      throw fail("claims to grow from " + std::to_string(entry.compressed_size) + " to " +
                 std::to_string(entry.size) + " bytes");
    }
    auto memory = allocate_bytes(static_cast<std::size_t>(entry.size));
    content = {memory, static_cast<std::size_t>(entry.size)};
    if (!inflate_whole(packed.span(), {memory.get(), content.size})) throw fail("is damaged");
  }
  if (entry.crc != 0 && crc32_of(content.span()) != entry.crc) {
    throw fail("is damaged: its checksum differs");
  }
  return content;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib starts anew where the pointer is null
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace grasppanda::io
