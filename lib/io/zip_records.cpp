#include "lib/io/zip_records.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"

namespace grasppanda::io {

namespace {

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}
std::uint16_t u16(std::span<const std::byte> b, std::size_t at) {
  return load<std::uint16_t>(b, at);
}
std::uint32_t u32(std::span<const std::byte> b, std::size_t at) {
  return load<std::uint32_t>(b, at);
}
std::uint64_t u64(std::span<const std::byte> b, std::size_t at) {
  return load<std::uint64_t>(b, at);
}

struct Directory {
  std::uint64_t offset = 0, size = 0, count = 0;
};

[[noreturn]] void damaged(const std::string& name, const std::string& why) {
  throw FormatError(name + ": damaged zip archive: " + why);
}

// The end record carries a comment of up to 64 KiB, so it is searched from the back.
std::size_t find_end(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() >= kEndSize) {
    const std::size_t last = bytes.size() - kEndSize;
    const std::size_t first = last > 0xffff ? last - 0xffff : 0;
    for (std::size_t at = last + 1; at-- > first;) {
      if (u32(bytes, at) == kEndOfDirectory &&
          u16(bytes, at + 20) == bytes.size() - at - kEndSize) {
        return at;
      }
    }
  }
  throw FormatError(name + ": cut off: a zip archive without its directory at the end (" +
                    std::to_string(bytes.size()) + " bytes are there); fetch the file again");
}

Directory find_directory(std::span<const std::byte> bytes, const std::string& name) {
  const std::size_t end = find_end(bytes, name);
  if (u16(bytes, end + 4) != 0 || u16(bytes, end + 6) != 0) {
    throw FormatError(name + ": a zip archive in several parts is not read");
  }
  Directory found{u32(bytes, end + 16), u32(bytes, end + 12), u16(bytes, end + 10)};
  std::size_t limit = end;
  if (end >= kLocatorSize && u32(bytes, end - kLocatorSize) == kLocator64) {
    const std::uint64_t at = u64(bytes, end - kLocatorSize + 8);
    if (end - kLocatorSize < kEnd64Size || at > end - kLocatorSize - kEnd64Size ||
        u32(bytes, at) != kEndOfDirectory64) {
      damaged(name, "its zip64 record is not where it should be");
    }
    found = {u64(bytes, at + 48), u64(bytes, at + 40), u64(bytes, at + 32)};
    limit = at;
  }
  if (found.offset > limit || found.size > limit - found.offset) {
    damaged(name, "its directory lies outside of the file");
  }
  return found;
}

// Sizes and offsets that do not fit 32 bits stand in an extra field, in this order.
void read_zip64_field(std::span<const std::byte> extra, ZipEntry& entry, const std::string& name) {
  constexpr std::uint64_t kElsewhere = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t* wanted[] = {&entry.size, &entry.compressed_size, &entry.header_offset};
  for (std::size_t at = 0; extra.size() - at >= 4;) {
    const std::size_t length = u16(extra, at + 2);
    const std::size_t start = at + 4;
    if (length > extra.size() - start) return;  // padding that is no field
    if (u16(extra, at) == 1) {
      std::size_t from = start;
      for (std::uint64_t* value : wanted) {
        if (*value != kElsewhere) continue;
        if (start + length - from < 8) damaged(name, "a zip64 field is too short");
        *value = u64(extra, from);
        from += 8;
      }
      return;
    }
    at = start + length;
  }
}

// Entries over one another make small archives that unfold without end.
void require_disjoint(std::vector<ZipEntry>& entries, std::uint64_t directory,
                      const std::string& name) {
  std::vector<ZipEntry*> by_offset;
  by_offset.reserve(entries.size());
  for (ZipEntry& entry : entries) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, {}, &ZipEntry::header_offset);
  for (std::size_t i = 0; i < by_offset.size(); ++i) {
    const std::uint64_t next =
        i + 1 < by_offset.size() ? by_offset[i + 1]->header_offset : directory;
    ZipEntry& entry = *by_offset[i];
    entry.end = next;
    if (entry.header_offset > next || next - entry.header_offset < kLocalSize ||
        next - entry.header_offset - kLocalSize < entry.compressed_size) {
      damaged(name, "the entry " + in_quotes(entry.name) + " reaches into what follows it");
    }
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> bytes,
                                         const std::string& name) {
  const Directory directory = find_directory(bytes, name);
  if (directory.count > directory.size / kCentralSize) {
    damaged(name, "its directory is shorter than its number of entries");
  }
  std::vector<ZipEntry> entries;
  entries.reserve(static_cast<std::size_t>(directory.count));
  std::span<const std::byte> rest = bytes.subspan(directory.offset, directory.size);
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (rest.size() < kCentralSize || u32(rest, 0) != kCentralHeader) {
      damaged(name, "entry " + std::to_string(i) + " of its directory is not sound");
    }
    const std::size_t name_length = u16(rest, 28), extra_length = u16(rest, 30);
    const std::size_t total = kCentralSize + name_length + extra_length + u16(rest, 32);
    if (rest.size() < total) damaged(name, "its directory is cut off");
    ZipEntry entry;
    entry.name.assign(reinterpret_cast<const char*>(rest.data()) + kCentralSize, name_length);
    entry.encrypted = (u16(rest, 8) & 1) != 0;
    entry.method = u16(rest, 10);
    entry.crc = u32(rest, 16);
    entry.compressed_size = u32(rest, 20);
    entry.size = u32(rest, 24);
    entry.header_offset = u32(rest, 42);
    read_zip64_field(rest.subspan(kCentralSize + name_length, extra_length), entry, name);
    if (entry.method == 0 && entry.size != entry.compressed_size) {
      damaged(name, "the entry " + in_quotes(entry.name) + " is stored but has two sizes");
    }
    entries.push_back(std::move(entry));
    rest = rest.subspan(total);
  }
  require_disjoint(entries, directory.offset, name);
  return entries;
}

std::size_t zip_content_offset(std::span<const std::byte> bytes, const ZipEntry& entry,
                               const std::string& name) {
  // The directory has been checked: a local header fits at the offset.
  const auto at = static_cast<std::size_t>(entry.header_offset);
  if (u32(bytes, at) != kLocalHeader) {
    damaged(name, "the entry " + in_quotes(entry.name) + " is not where the directory says");
  }
  const std::size_t start = at + kLocalSize + u16(bytes, at + 26) + u16(bytes, at + 28);
  if (start > entry.end || entry.compressed_size > entry.end - start) {
    damaged(name, "the entry " + in_quotes(entry.name) + " reaches into what follows it");
  }
  return start;
}

bool inflate_whole(std::span<const std::byte> from, std::span<std::byte> to) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
  std::size_t read = 0, written = 0;
  unsigned char nothing = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(from.size() - read, kMost);
    const std::size_t out = std::min(to.size() - written, kMost);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = out > 0 ? reinterpret_cast<Bytef*>(to.data() + written) : &nothing;
    stream.avail_out = static_cast<uInt>(out);
    status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = in - stream.avail_in, made = out - stream.avail_out;
    read += used;
    written += made;
    if (status == Z_OK && used == 0 && made == 0) break;
  }
  ::inflateEnd(&stream);
  return status == Z_STREAM_END && written == to.size();
}

}  // namespace grasppanda::io
