#include <limits>

#include "lib/io/zip_records.h"

namespace grasppanda::io {

namespace {

constexpr std::uint16_t kFirstDay = 0x0021;  // 1 January 1980
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kPaddingField = 0x4246;  // "FB", the field PyTorch pads with
constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax16 = std::numeric_limits<std::uint16_t>::max();

class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  Record& put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

std::uint64_t capped(std::uint64_t value) {
  return value < kMax32 ? value : kMax32;
}

// The part that local and central headers share, from "version needed" to the extra field's length.
void put_shared(Record& record, const ZipEntry& entry, bool wide, std::size_t extra) {
  record.u16(wide ? 45 : 20).u16(kUtf8Names).u16(0).u16(0).u16(kFirstDay);
  record.u32(entry.crc).u32(capped(entry.size)).u32(capped(entry.size));
  record.u16(entry.name.size()).u16(extra);
}

}  // namespace

std::string ZipWriter::entry(std::string name, std::uint64_t size, std::uint32_t crc,
                             std::size_t alignment) {
  ZipEntry entry;
  entry.name = std::move(name);
  entry.size = entry.compressed_size = size;
  entry.crc = crc;
  entry.header_offset = offset_;
  Record extra;
  const bool wide = size >= kMax32;
  if (wide) extra.u16(1).u16(16).u64(size).u64(size);
  const std::uint64_t unpadded = offset_ + kLocalSize + entry.name.size() + extra.size();
  if (unpadded % alignment != 0) {
    const std::size_t padding = alignment - (unpadded + 4) % alignment;
    extra.u16(kPaddingField).u16(padding % alignment).text(std::string(padding % alignment, '\0'));
  }
  const std::string field = extra.take();
  Record record;
  record.u32(kLocalHeader);
  put_shared(record, entry, wide, field.size());
  record.text(entry.name).text(field);
  offset_ += record.size() + size;
  entries_.push_back(std::move(entry));
  return record.take();
}

std::string ZipWriter::finish() const {
  Record record;
  for (const ZipEntry& entry : entries_) {
    Record extra;
    const bool wide_size = entry.size >= kMax32, wide_offset = entry.header_offset >= kMax32;
    if (wide_size || wide_offset) {
      extra.u16(1).u16((wide_size ? 16 : 0) + (wide_offset ? 8 : 0));
      if (wide_size) extra.u64(entry.size).u64(entry.size);
      if (wide_offset) extra.u64(entry.header_offset);
    }
    const std::string field = extra.take();
    record.u32(kCentralHeader).u16(45);
    put_shared(record, entry, wide_size || wide_offset, field.size());
    record.u16(0).u16(0).u16(0).u32(0).u32(capped(entry.header_offset));
    record.text(entry.name).text(field);
  }
  const std::uint64_t size = record.size(), count = entries_.size(), start = offset_;
  if (count >= kMax16 || size >= kMax32 || start >= kMax32) {
    record.u32(kEndOfDirectory64).u64(kEnd64Size - 12).u16(45).u16(45).u32(0).u32(0);
    record.u64(count).u64(count).u64(size).u64(start);
    record.u32(kLocator64).u32(0).u64(start + size).u32(1);
  }
  const std::uint64_t shown = count < kMax16 ? count : kMax16;
  record.u32(kEndOfDirectory).u16(0).u16(0).u16(shown).u16(shown);
  record.u32(capped(size)).u32(capped(start)).u16(0);
  return record.take();
}

}  // namespace grasppanda::io
