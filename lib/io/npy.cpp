#include "lib/io/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/npy_header.h"
#include "lib/io/strided.h"
#include "lib/io/utf8.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kAlign = 64;         // of the data behind the header
constexpr std::size_t kGrowthDigits = 21;  // NumPy leaves room for the first extent to grow
constexpr std::size_t kPreamble = 10;      // magic, version, two bytes of length

std::string descr_of(const Array& array) {
  switch (array.dtype) {
    case DType::boolean:
      return "|b1";
    case DType::uint8:
      return "|u1";
    case DType::int8:
      return "|i1";
    case DType::uint16:
      return "<u2";
    case DType::int16:
      return "<i2";
    case DType::uint32:
      return "<u4";
    case DType::int32:
      return "<i4";
    case DType::uint64:
      return "<u8";
    case DType::int64:
      return "<i8";
    case DType::float16:
      return "<f2";
    case DType::float32:
      return "<f4";
    case DType::float64:
      return "<f8";
    case DType::bfloat16:
      break;
  }
  throw std::invalid_argument("a .npy file cannot hold bfloat16; widen it to float32 first");
}

Array text_array(std::string text) {
  text.erase(text.find_last_not_of('\0') + 1);  // NumPy fills up with zeros
  Array array = make_array(DType::uint8, {static_cast<std::int64_t>(text.size())},
                           std::as_bytes(std::span(text)));
  array.is_text = true;
  return array;
}

Array read_text(const NpyHeader& header, const std::byte* data, const std::string& name) {
  std::string text;
  if (header.kind == 'S') {
    text.assign(reinterpret_cast<const char*>(data), header.item_bytes);
    return text_array(std::move(text));
  }
  for (std::size_t at = 0; at < header.item_bytes; at += 4) {
    std::array<unsigned char, 4> b{};
    std::memcpy(b.data(), data + at, 4);
    if (header.big_endian) std::reverse(b.begin(), b.end());
    const std::uint32_t code =
        b[0] | b[1] << 8 | b[2] << 16 | static_cast<std::uint32_t>(b[3]) << 24;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      throw FormatError(name + ": the text in this .npy array holds a number that is no character");
    }
    append_utf8(text, code);
  }
  return text_array(std::move(text));
}

// The array that lies at `data` (already bounded), row-major and little endian. `share` owns `data`
// where it may be used in place.
Array take(const NpyHeader& header, const std::byte* data,
           const std::shared_ptr<const std::byte>& share) {
  Array array;
  array.dtype = header.dtype;
  array.shape = header.shape;
  const std::size_t item = item_size(array.dtype);
  const std::size_t size = array.byte_size();
  const bool turned = header.fortran_order && array.shape.size() > 1;
  const bool swapped = header.big_endian && item > 1;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % item == 0;
  if (share && !turned && !swapped && aligned) {
    array.data = {share, data};
    return array;
  }
  auto memory = allocate_bytes(size);
  if (turned) {
    std::vector<std::int64_t> strides(array.shape.size(), 1);
    for (std::size_t axis = 1; axis < strides.size(); ++axis) {
      strides[axis] = strides[axis - 1] * std::max<std::int64_t>(array.shape[axis - 1], 1);
    }
    copy_strided(data, memory.get(), array.shape, strides, item);
  } else if (size > 0) {
    std::memcpy(memory.get(), data, size);
  }
  if (swapped) {
    for (std::size_t at = 0; at < size; at += item) {
      std::reverse(memory.get() + at, memory.get() + at + item);
    }
  }
  array.data = std::move(memory);
  return array;
}

Array parse(std::span<const std::byte> bytes, const std::shared_ptr<const std::byte>& share,
            const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.kind == 'O') {
    throw FormatError(name +
                      ": this .npy array holds pickled Python objects; loading them could run "
                      "code, so it is refused: save plain numbers instead");
  }
  const auto numel = checked_numel(header.shape);
  std::int64_t size = 0;
  if (!numel ||
      __builtin_mul_overflow(*numel, static_cast<std::int64_t>(header.item_bytes), &size)) {
    throw FormatError(name + ": the .npy header has the impossible shape " +
                      shape_text(header.shape));
  }
  const std::size_t there = bytes.size() - header.data_offset;
  if (static_cast<std::uint64_t>(size) > there) {
    throw FormatError(name + ": cut off: the .npy header promises " + std::to_string(size) +
                      " bytes of data " + shape_text(header.shape) + ", there are " +
                      std::to_string(there));
  }
  const std::byte* data = bytes.data() + header.data_offset;
  return header.kind == 0 ? take(header, data, share) : read_text(header, data, name);
}

}  // namespace

Array read_npy(const std::filesystem::path& path) {
  return parse_npy(map_file(path), path.string());
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  return parse(bytes, nullptr, name);
}

Array parse_npy(const SharedBytes& bytes, const std::string& name) {
  return parse(bytes.span(), bytes.data, name);
}

std::string npy_header(const Array& array) {
  std::string text = "{'descr': '" + descr_of(array) +
                     "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  if (!array.shape.empty()) {
    text.append(kGrowthDigits - std::to_string(array.shape[0]).size(), ' ');
  }
  // Between 1 and 64 spaces: NumPy adds a whole unit where none would be needed.
  text.append(kAlign - (kPreamble + text.size() + 1) % kAlign, ' ');
  text += '\n';
  if (text.size() > 0xffff) throw std::invalid_argument("an array with too many axes for .npy");
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

std::string npy_bytes(const Array& array) {
  std::string bytes = npy_header(array);
  bytes.append(reinterpret_cast<const char*>(array.data.get()), array.byte_size());
  return bytes;
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  const std::string header = npy_header(array);
  AtomicFile file(path);
  file.write(header);
  file.write(array.bytes());
  file.commit();
}

}  // namespace grasppanda::io
