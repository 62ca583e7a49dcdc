#include "lib/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>

#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"
#include "lib/io/safetensors_header.h"
#include "lib/io/strided.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kLengthSize = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kAlign = 8;

std::uint64_t header_length(std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthSize);
  return length;
}

// Every byte of the data belongs to one tensor, and to one only.
void require_tiled(const SafetensorsHeader& header, std::uint64_t size, const std::string& name) {
  std::vector<const SafetensorsEntry*> by_offset;
  for (const SafetensorsEntry& entry : header.entries) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, {}, &SafetensorsEntry::offsets);
  std::uint64_t at = 0;
  for (const SafetensorsEntry* entry : by_offset) {
    const auto [first, end] = entry->offsets;
    if (first != at || end < first) {
      throw FormatError(name + ": damaged: the data of " + in_quotes(entry->key) +
                        " start at byte " + std::to_string(first) + ", " + std::to_string(at) +
                        " is wanted (" +
                        (first < at ? "they lie over others)" : "there is a gap)"));
    }
    if (end > size) {
      throw FormatError(name + ": cut off: the data of " + in_quotes(entry->key) + " end at byte " +
                        std::to_string(end) + ", the file has " + std::to_string(size) +
                        " bytes of data; fetch it again");
    }
    at = end;
  }
  if (at != size) {
    throw FormatError(name + ": damaged: " + std::to_string(size - at) +
                      " bytes behind the last tensor belong to none");
  }
}

Array take(const SafetensorsEntry& entry, const SharedBytes& data, const std::string& name) {
  Array array;
  array.dtype = entry.dtype;
  array.shape = entry.shape;
  const auto numel = checked_numel(entry.shape);
  const std::uint64_t size = entry.offsets[1] - entry.offsets[0];
  const std::size_t item = item_size(entry.dtype);
  if (!numel || size % item != 0 || static_cast<std::uint64_t>(*numel) != size / item) {
    throw FormatError(name + ": damaged: " + in_quotes(entry.key) + " is " + describe(array) +
                      " but has " + std::to_string(size) + " bytes of data");
  }
  if (size == 0) return array;
  array.data = data.part(entry.offsets[0], size).data;
  if (reinterpret_cast<std::uintptr_t>(array.data.get()) % item != 0) {
    array = make_array(array.dtype, array.shape, array.bytes());
  }
  return array;
}

}  // namespace

bool looks_like_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > kLengthSize && bytes[kLengthSize] == std::byte{'{'} &&
         header_length(bytes) <= kMaxHeader;
}

Safetensors parse_safetensors(const SharedBytes& file, const std::string& name) {
  if (file.size < kLengthSize) throw FormatError(name + ": cut off before its safetensors header");
  const std::uint64_t length = header_length(file.span());
  if (length > kMaxHeader) {
    throw FormatError(name + ": damaged: the safetensors header claims " + std::to_string(length) +
                      " bytes");
  }
  if (length > file.size - kLengthSize) {
    throw FormatError(name + ": cut off inside its safetensors header; fetch the file again");
  }
  const auto header = parse_safetensors_header(file.text().substr(kLengthSize, length), name);
  const std::size_t start = kLengthSize + static_cast<std::size_t>(length);
  const SharedBytes data = file.part(start, file.size - start);
  require_tiled(header, data.size, name);
  Safetensors result;
  result.metadata = header.metadata;
  result.tensors.reserve(header.entries.size());
  for (const SafetensorsEntry& entry : header.entries) {
    result.tensors.push_back({entry.key, take(entry, data, name)});
  }
  return result;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(map_file(path), path.string());
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return item_size(tensors[i].array.dtype); });
  std::vector<std::uint64_t> first(tensors.size());
  std::uint64_t at = 0;
  for (const std::size_t i : order) {
    first[i] = at;
    at += tensors[i].array.byte_size();
  }
  std::set<std::string_view> keys;
  std::string text = "{";
  const auto put = [&](std::string_view key, const nlohmann::ordered_json& value) {
    if (!keys.insert(key).second)
      throw std::invalid_argument("two tensors have the key " + in_quotes(key));
    if (text.size() > 1) text += ',';
    text += nlohmann::json(key).dump();
    text += ':';
    text += value.dump();
  };
  if (!metadata.empty()) put("__metadata__", metadata);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Array& array = tensors[i].array;
    put(tensors[i].key, {{"dtype", safetensors_dtype(array.dtype)},
                         {"shape", array.shape},
                         {"data_offsets", {first[i], first[i] + array.byte_size()}}});
  }
  text += '}';
  text.append((kAlign - text.size() % kAlign) % kAlign, ' ');
  const std::uint64_t length = text.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const std::size_t i : order) file.write(tensors[i].array.bytes());
  file.commit();
}

}  // namespace grasppanda::io
