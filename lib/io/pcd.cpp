#include "lib/io/pcd.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "lib/io/byte_order.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/lzf.h"
#include "lib/io/mapped_file.h"
#include "lib/io/pcd_header.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

double load_item(const std::byte* from, const PcdField& field) {
  switch (field.type) {
    case 'I':
      switch (field.size) {
        case 1:
          return load<std::int8_t>(from, false);
        case 2:
          return load<std::int16_t>(from, false);
        case 4:
          return load<std::int32_t>(from, false);
        default:
          return static_cast<double>(load<std::int64_t>(from, false));
      }
    case 'U':
      switch (field.size) {
        case 1:
          return load<std::uint8_t>(from, false);
        case 2:
          return load<std::uint16_t>(from, false);
        case 4:
          return load<std::uint32_t>(from, false);
        default:
          return static_cast<double>(load<std::uint64_t>(from, false));
      }
    default:
      return field.size == 4 ? static_cast<double>(load<float>(from, false))
                             : load<double>(from, false);
  }
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name)
      : bytes_(bytes),
        text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        name_(name),
        header_(parse_pcd_header(text_, name)) {
    for (std::size_t i = 0; i < 3; ++i) {
      constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
      const auto found = find(kAxes[i]);
      if (!found) {
        throw FormatError(name_ + ": PCD: there is no field '" + std::string(kAxes[i]) +
                          "'; wanted x, y and z");
      }
      axes_[i] = *found;
    }
    colour_ = find("rgb");
    if (!colour_) colour_ = find("rgba");
    if (colour_ && header_.fields[*colour_].size != 4) colour_.reset();
  }

  PointCloud read() {
    const std::span<const std::byte> data = bytes_.subspan(header_.bytes);
    switch (header_.encoding) {
      case PcdHeader::Encoding::ascii:
        read_ascii();
        break;
      case PcdHeader::Encoding::binary:
        read_binary(data);
        break;
      case PcdHeader::Encoding::compressed:
        read_compressed(data);
        break;
    }
    return std::move(cloud_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ": PCD: " + what);
  }

  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < header_.fields.size(); ++i) {
      if (header_.fields[i].name == name && header_.fields[i].count >= 1) return i;
    }
    return std::nullopt;
  }

  /// `least`: the fewest bytes a point can take in what follows the header.
  void reserve(std::uint64_t least, std::uint64_t bytes) {
    if (header_.points > bytes / least) {
      fail("the header promises " + std::to_string(header_.points) + " points, but only " +
           std::to_string(bytes) + " bytes follow; the file is cut off");
    }
    cloud_.xyz.reserve(3 * header_.points);
    if (colour_) cloud_.rgb.reserve(3 * header_.points);
  }

  void take_colour(std::uint32_t packed) {
    for (const int shift : {16, 8, 0}) {
      cloud_.rgb.push_back(static_cast<std::uint8_t>(packed >> shift));
    }
  }

  void read_ascii() {
    std::uint64_t items = 0;
    for (const PcdField& field : header_.fields) items += field.count;
    reserve(2 * items, bytes_.size() - header_.bytes + 1);  // a digit and a space each
    TextLines lines(text_.substr(header_.bytes), header_.lines);
    std::string_view line;
    for (std::uint64_t i = 0; i < header_.points; ++i) {
      std::string_view rest;
      do {
        if (!lines.next(line)) {
          throw FormatError(name_ + ":" + std::to_string(lines.number()) + ": PCD: ends after " +
                            std::to_string(i) + " of " + std::to_string(header_.points) +
                            " points; the file is cut off");
        }
        rest = line;
      } while (next_word(rest).empty());
      read_line(line, lines.number());
    }
  }

  void read_line(std::string_view line, std::int64_t number) {
    std::array<double, 3> point{};
    double colour = 0;
    for (std::size_t f = 0; f < header_.fields.size(); ++f) {
      for (std::uint64_t i = 0; i < header_.fields[f].count; ++i) {
        const std::string_view word = next_word(line);
        double value = 0;
        if (!parse_number(word, value)) {
          throw FormatError(name_ + ":" + std::to_string(number) + ": PCD: field " +
                            in_quotes(header_.fields[f].name) + " wants a number, got " +
                            (word.empty() ? "the end of the line" : in_quotes(word)));
        }
        if (i != 0) continue;
        const auto axis = std::find(axes_.begin(), axes_.end(), f);
        if (axis != axes_.end()) point[static_cast<std::size_t>(axis - axes_.begin())] = value;
        if (f == colour_) colour = value;
      }
    }
    cloud_.xyz.insert(cloud_.xyz.end(), point.begin(), point.end());
    if (!colour_) return;
    if (header_.fields[*colour_].type == 'F') {  // the bits of a float are the colour
      take_colour(std::bit_cast<std::uint32_t>(static_cast<float>(colour)));
    } else {
      take_colour(static_cast<std::uint32_t>(std::clamp(colour, 0.0, 4294967295.0)));
    }
  }

  void read_binary(std::span<const std::byte> data) {
    reserve(header_.point_bytes, data.size());
    for (std::uint64_t i = 0; i < header_.points; ++i) {
      const std::byte* record = data.data() + i * header_.point_bytes;
      for (const std::size_t axis : axes_) {
        const PcdField& field = header_.fields[axis];
        cloud_.xyz.push_back(load_item(record + field.offset, field));
      }
      if (colour_) {
        take_colour(load<std::uint32_t>(record + header_.fields[*colour_].offset, false));
      }
    }
  }

  /// Packed and unpacked size, then the packed bytes: all points' first field, all points'
  /// second...
  void read_compressed(std::span<const std::byte> data) {
    constexpr std::uint64_t kMaxRatio = 88;  // LZF: 264 bytes out of 3
    if (data.size() < 8) fail("ends before its compressed data; the file is cut off");
    const std::uint64_t packed = load<std::uint32_t>(data.data(), false);
    const std::uint64_t size = load<std::uint32_t>(data.data() + 4, false);
    data = data.subspan(8);
    if (packed > data.size()) {
      fail("has " + std::to_string(data.size()) + " of " + std::to_string(packed) +
           " compressed bytes; the file is cut off");
    }
    if (header_.points > size / header_.point_bytes ||
        header_.points * header_.point_bytes != size || size / kMaxRatio > packed) {
      fail("compressed data of " + std::to_string(packed) + " bytes that unpack to " +
           std::to_string(size) + " do not fit " + std::to_string(header_.points) + " points of " +
           std::to_string(header_.point_bytes) + " bytes; it is damaged");
    }
    std::vector<std::byte> columns(size);
    if (!unpack_lzf(data.first(packed), columns)) fail("the compressed data are damaged");
    reserve(header_.point_bytes, size);
    const auto item = [&](std::size_t f, std::uint64_t point) {
      const PcdField& field = header_.fields[f];
      return columns.data() + field.offset * header_.points + point * field.size * field.count;
    };
    for (std::uint64_t i = 0; i < header_.points; ++i) {
      for (const std::size_t f : axes_) {
        cloud_.xyz.push_back(load_item(item(f, i), header_.fields[f]));
      }
      if (colour_) take_colour(load<std::uint32_t>(item(*colour_, i), false));
    }
  }

  std::span<const std::byte> bytes_;
  std::string_view text_;
  const std::string& name_;
  PcdHeader header_;
  std::array<std::size_t, 3> axes_{};
  std::optional<std::size_t> colour_;
  PointCloud cloud_;
};

}  // namespace

PointCloud read_pcd(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  return parse_pcd(file.span(), path.string());
}

PointCloud parse_pcd(std::span<const std::byte> bytes, const std::string& name) {
  const Content content = content_of(bytes);
  if (content != Content::pcd && content != Content::unknown) {
    throw FormatError(name + ": is " + std::string(content_words(content)) + "; wanted a PCD file");
  }
  return Reader(bytes, name).read();
}

}  // namespace grasppanda::io
