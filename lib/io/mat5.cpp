#include "lib/io/mat5.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/io/byte_order.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

// An own reader and not libmatio: every length in the file must be checked before that library may
// see it, which is the whole work of reading; and it brings HDF5 into the process. The tests use it
// as the second opinion. Layout: "MAT-File Format", The MathWorks, level 5.

namespace grasppanda::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kHeaderBytes = 128;
constexpr std::uint32_t kMatrix = 14, kCompressed = 15;  // element types of the top level
constexpr std::uint32_t kComplexFlag = 0x0800;
constexpr std::uint32_t kFirstNumericClass = 6, kLastNumericClass = 15;
constexpr std::size_t kNameProbeBytes = 1024;  // flags, dimensions and name lie at the front

struct Element {
  std::uint32_t type = 0;
  Bytes data;
};

std::size_t storage_size(std::uint32_t type) {
  switch (type) {
    case 1:
    case 2:
      return 1;  // int8, uint8
    case 3:
    case 4:
      return 2;  // int16, uint16
    case 5:
    case 6:
    case 7:
      return 4;  // int32, uint32, single
    case 9:
    case 12:
    case 13:
      return 8;  // double, int64, uint64
    default:
      return 0;
  }
}

double load_stored(const std::byte* from, std::uint32_t type, bool big) {
  switch (type) {
    case 1:
      return load<std::int8_t>(from, big);
    case 2:
      return load<std::uint8_t>(from, big);
    case 3:
      return load<std::int16_t>(from, big);
    case 4:
      return load<std::uint16_t>(from, big);
    case 5:
      return load<std::int32_t>(from, big);
    case 6:
      return load<std::uint32_t>(from, big);
    case 7:
      return static_cast<double>(load<float>(from, big));
    case 9:
      return load<double>(from, big);
    case 12:
      return static_cast<double>(load<std::int64_t>(from, big));
    default:
      return static_cast<double>(load<std::uint64_t>(from, big));
  }
}

/// Takes one element off the front; nothing when the bytes do not hold it whole.
std::optional<Element> take_element(Bytes& bytes, bool big) {
  if (bytes.size() < 8) return std::nullopt;
  const auto word = load<std::uint32_t>(bytes.data(), big);
  if (word >> 16 != 0) {  // the small form: size, type and data in eight bytes
    const std::uint32_t size = word >> 16;
    if (size > 4) return std::nullopt;
    const Element element{word & 0xFFFF, bytes.subspan(4, size)};
    bytes = bytes.subspan(8);
    return element;
  }
  const std::size_t size = load<std::uint32_t>(bytes.data() + 4, big);
  bytes = bytes.subspan(8);
  if (size > bytes.size()) return std::nullopt;
  const Element element{word, bytes.first(size)};
  // Padded to eight bytes, but the last one of a matrix may come without.
  bytes = bytes.subspan(std::min((size + 7) / 8 * 8, bytes.size()));
  return element;
}

/// Inflates at most `limit` bytes of a zlib stream; nothing when it is damaged before that or,
/// unless `only_front`, when it does not end within the limit.
std::optional<std::vector<std::byte>> inflate_front(Bytes packed, std::size_t limit,
                                                    bool only_front) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::vector<std::byte> out(limit);
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());  // an element's size has 32 bits
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(limit);
  const int status = inflate(&stream, Z_SYNC_FLUSH);
  out.resize(limit - stream.avail_out);
  inflateEnd(&stream);
  if (status != Z_STREAM_END && !(only_front && stream.avail_out == 0)) return std::nullopt;
  return out;
}

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name) : bytes_(bytes), name_(name) {
    big_ = bytes_[126] == std::byte{'M'};
  }

  std::map<std::string, Array, std::less<>> read(std::span<const std::string_view> wanted) const {
    std::map<std::string, Array, std::less<>> found;
    Bytes rest = bytes_.subspan(kHeaderBytes);
    while (!rest.empty()) {
      if (rest.size() < 8) fail("ends inside a variable's tag; the file is cut off");
      const auto type = load<std::uint32_t>(rest.data(), big_);
      const std::size_t size = load<std::uint32_t>(rest.data() + 4, big_);
      rest = rest.subspan(8);
      if (type != kMatrix && type != kCompressed) {
        fail("variable expected, found an element of type " + std::to_string(type));
      }
      if (size > rest.size()) fail("ends inside a variable; the file is cut off");
      read_variable(type, rest.first(size), wanted, found);
      const std::size_t padded = type == kCompressed ? size : (size + 7) / 8 * 8;
      rest = rest.subspan(std::min(padded, rest.size()));
    }
    return found;
  }

 private:
  struct Front {
    std::uint32_t array_class = 0;
    bool complex = false;
    std::vector<std::int64_t> dimensions;
    std::string name;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ": MAT file: " + what);
  }

  void read_variable(std::uint32_t type, Bytes data, std::span<const std::string_view> wanted,
                     std::map<std::string, Array, std::less<>>& found) const {
    std::vector<std::byte> inflated;
    if (type == kCompressed) {
      auto front = inflate_front(data, kNameProbeBytes, true);
      if (!front) fail("a compressed variable is damaged");
      if (!is_wanted(*front, wanted)) return;
      inflated = inflate_whole(data, *front);
      data = Bytes(inflated).subspan(8);
    }
    std::optional<Front> front = take_front(data);
    if (!front) {
      if (type == kMatrix && data.empty()) return;  // an empty matrix without a name
      fail("a variable's description is damaged");
    }
    if (std::find(wanted.begin(), wanted.end(), front->name) == wanted.end()) return;
    if (found.contains(front->name)) return;  // the first of a name counts
    Array array = numeric_array(*front, data);
    found.emplace(std::move(front->name), std::move(array));
  }

  bool is_wanted(Bytes probe, std::span<const std::string_view> wanted) const {
    if (probe.size() < 8) fail("a compressed variable is damaged");
    Bytes data = probe.subspan(8);
    const auto front = take_front(data);
    return front && std::find(wanted.begin(), wanted.end(), front->name) != wanted.end();
  }

  std::vector<std::byte> inflate_whole(Bytes packed, Bytes probe) const {
    const std::size_t size = load<std::uint32_t>(probe.data() + 4, big_);
    if (load<std::uint32_t>(probe.data(), big_) != kMatrix) {
      fail("a compressed element that holds no variable");
    }
    if (size > kMaxMat5VariableBytes || size / 1032 > packed.size()) {
      fail("a variable claims " + std::to_string(size) + " bytes; the limit is " +
           std::to_string(kMaxMat5VariableBytes >> 20) +
           " MiB, and 1032 times its compressed size");
    }
    auto whole = inflate_front(packed, size + 8, false);
    if (!whole || whole->size() != size + 8) fail("a compressed variable is damaged");
    return std::move(*whole);
  }

  std::optional<Front> take_front(Bytes& data) const {
    const auto flags = take_element(data, big_);
    const auto dimensions = take_element(data, big_);
    const auto name = take_element(data, big_);
    if (!flags || flags->type != 6 || flags->data.size() != 8) return std::nullopt;
    if (!dimensions || dimensions->type != 5 || dimensions->data.size() % 4 != 0) {
      return std::nullopt;
    }
    if (!name || name->type != 1) return std::nullopt;
    Front front;
    const auto word = load<std::uint32_t>(flags->data.data(), big_);
    front.array_class = word & 0xFF;
    front.complex = (word & kComplexFlag) != 0;
    for (std::size_t i = 0; i < dimensions->data.size(); i += 4) {
      front.dimensions.push_back(load<std::int32_t>(dimensions->data.data() + i, big_));
    }
    front.name.assign(reinterpret_cast<const char*>(name->data.data()), name->data.size());
    return front;
  }

  Array numeric_array(const Front& front, Bytes data) const {
    const std::string variable = "variable " + in_quotes(front.name);
    if (front.array_class < kFirstNumericClass || front.array_class > kLastNumericClass) {
      fail(variable + " is no numeric array (MATLAB class " + std::to_string(front.array_class) +
           ")");
    }
    if (front.complex) fail(variable + " is complex; wanted real numbers");
    const auto real = take_element(data, big_);
    const std::size_t item = real ? storage_size(real->type) : 0;
    if (!real || item == 0) fail(variable + " is damaged or cut off");
    const std::size_t items = real->data.size() / item;
    std::size_t numel = 1;
    for (const std::int64_t d : front.dimensions) {
      if (d < 0 || (d > 0 && numel > kMaxMat5VariableBytes / static_cast<std::size_t>(d))) {
        fail(variable + " has impossible dimensions " + shape_text(front.dimensions));
      }
      numel *= static_cast<std::size_t>(d);
    }
    if (items * item != real->data.size() || items != numel || numel > kMaxMat5VariableBytes / 8) {
      fail(variable + " of dimensions " + shape_text(front.dimensions) + " holds " +
           std::to_string(real->data.size()) + " bytes of data, which does not fit");
    }
    return make_array(front.dimensions, row_major(*real, item, front.dimensions, numel));
  }

  std::vector<double> row_major(const Element& real, std::size_t item,
                                const std::vector<std::int64_t>& dimensions,
                                std::size_t numel) const {
    std::vector<double> values(numel);
    std::vector<std::size_t> index(dimensions.size());  // counts in file order: first axis fastest
    for (std::size_t i = 0; i < numel; ++i) {
      std::size_t to = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        to = to * static_cast<std::size_t>(dimensions[axis]) + index[axis];
      }
      values[to] = load_stored(real.data.data() + i * item, real.type, big_);
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        if (++index[axis] < static_cast<std::size_t>(dimensions[axis])) break;
        index[axis] = 0;
      }
    }
    return values;
  }

  Bytes bytes_;
  const std::string& name_;
  bool big_ = false;
};

}  // namespace

std::map<std::string, Array, std::less<>> read_mat5(const std::filesystem::path& path,
                                                    std::span<const std::string_view> wanted) {
  const SharedBytes file = map_file(path);
  return parse_mat5(file.span(), path.string(), wanted);
}

std::map<std::string, Array, std::less<>> parse_mat5(Bytes bytes, const std::string& name,
                                                     std::span<const std::string_view> wanted) {
  const Content content = content_of(bytes);
  if (content == Content::hdf5) {
    throw FormatError(name + ": is a MATLAB 7.3 (HDF5) file; wanted MAT 5: save it with '-v7'");
  }
  if (content == Content::unknown) {
    throw FormatError(name + ": is no MAT 5 file, or one that is cut off in its header");
  }
  if (content != Content::mat5) {
    throw FormatError(name + ": is " + std::string(content_words(content)) +
                      "; wanted a MAT 5 file");
  }
  return Reader(bytes, name).read(wanted);
}

}  // namespace grasppanda::io
