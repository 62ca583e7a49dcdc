#include "lib/io/ply.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "lib/io/byte_order.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/ply_header.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

double load_number(const std::byte* from, DType type, bool big_endian) {
  switch (type) {
    case DType::int8:
      return load<std::int8_t>(from, big_endian);
    case DType::uint8:
      return load<std::uint8_t>(from, big_endian);
    case DType::int16:
      return load<std::int16_t>(from, big_endian);
    case DType::uint16:
      return load<std::uint16_t>(from, big_endian);
    case DType::int32:
      return load<std::int32_t>(from, big_endian);
    case DType::uint32:
      return load<std::uint32_t>(from, big_endian);
    case DType::float32:
      return static_cast<double>(load<float>(from, big_endian));
    default:
      return load<double>(from, big_endian);
  }
}

std::uint8_t colour_byte(double value, DType type) {
  switch (type) {
    case DType::float32:
    case DType::float64:
      return static_cast<std::uint8_t>(
          std::lround(std::clamp(std::isfinite(value) ? value : 0.0, 0.0, 1.0) * 255));
    case DType::uint16:
      return static_cast<std::uint8_t>(value / 256);
    default:
      return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
  }
}

/// Which properties of the vertex are wanted: x y z, then red green blue.
struct Wanted {
  std::array<std::size_t, 6> property{};
  bool colours = false;

  std::size_t size() const { return colours ? 6 : 3; }
};

std::optional<std::size_t> find_property(const PlyElement& element, std::string_view name) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    if (element.properties[i].name == name && !element.properties[i].is_list) return i;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name)
      : bytes_(bytes),
        text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        name_(name),
        header_(parse_ply_header(text_, name)),
        big_(header_.encoding == PlyHeader::Encoding::big_endian) {}

  PointCloud read() {
    const bool ascii = header_.encoding == PlyHeader::Encoding::ascii;
    TextLines lines(text_.substr(header_.bytes), header_.lines);
    at_ = header_.bytes;
    bool found = false;
    for (const PlyElement& element : header_.elements) {
      const bool vertices = element.name == "vertex" && !found;
      if (vertices) {
        found = true;
        wanted_ = find_wanted(element);
        reserve(element, ascii);
      }
      if (ascii) {
        read_ascii(element, vertices, lines);
      } else {
        read_binary(element, vertices);
      }
    }
    if (!found) throw FormatError(name_ + ": PLY without an element 'vertex'; it holds no cloud");
    return std::move(cloud_);
  }

 private:
  Wanted find_wanted(const PlyElement& element) const {
    constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
    constexpr std::array<std::array<std::string_view, 3>, 2> kColours{
        {{"red", "green", "blue"}, {"diffuse_red", "diffuse_green", "diffuse_blue"}}};
    Wanted wanted;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto found = find_property(element, kAxes[i]);
      if (!found) {
        throw FormatError(name_ + ": PLY: the vertices have no property '" + std::string(kAxes[i]) +
                          "'; wanted x, y and z");
      }
      wanted.property[i] = *found;
    }
    for (const auto& names : kColours) {
      std::size_t seen = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto found = find_property(element, names[i]);
        if (!found) break;
        wanted.property[3 + i] = *found;
        ++seen;
      }
      if (seen == 3) {
        wanted.colours = true;
        break;
      }
    }
    return wanted;
  }

  /// The least a record can take: a list may be empty, a number in text is a digit and a space.
  static std::uint64_t least_record_bytes(const PlyElement& element, bool ascii) {
    std::uint64_t bytes = 0;
    for (const PlyProperty& p : element.properties) {
      bytes += ascii ? 2 : item_size(p.is_list ? p.count_type : p.type);
    }
    return std::max<std::uint64_t>(bytes, 1);
  }

  void reserve(const PlyElement& element, bool ascii) {
    const std::uint64_t left = bytes_.size() - at_ + 1;  // the last number needs no space after it
    if (element.count > left / least_record_bytes(element, ascii)) {
      throw FormatError(name_ + ": PLY: the header promises " + std::to_string(element.count) +
                        " vertices, but only " + std::to_string(left - 1) +
                        " bytes follow; the file is cut off");
    }
    cloud_.xyz.reserve(3 * element.count);
    if (wanted_.colours) cloud_.rgb.reserve(3 * element.count);
  }

  void take_vertex(const PlyElement& element, const std::vector<double>& record) {
    for (std::size_t i = 0; i < 3; ++i) cloud_.xyz.push_back(record[wanted_.property[i]]);
    for (std::size_t i = 3; i < wanted_.size(); ++i) {
      const std::size_t p = wanted_.property[i];
      cloud_.rgb.push_back(colour_byte(record[p], element.properties[p].type));
    }
  }

  void read_ascii(const PlyElement& element, bool vertices, TextLines& lines) {
    std::vector<double> record(element.properties.size());
    if (record.empty()) return;
    std::string_view line;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      std::string_view rest;
      do {
        if (!lines.next(line)) {
          throw FormatError(name_ + ":" + std::to_string(lines.number()) + ": PLY: ends after " +
                            std::to_string(i) + " of " + std::to_string(element.count) + " " +
                            in_quotes(element.name) + " records; the file is cut off");
        }
        rest = line;
      } while (next_word(rest).empty());
      if (vertices) {
        read_line(element, line, lines.number(), record);
        take_vertex(element, record);
      }
    }
  }

  void read_line(const PlyElement& element, std::string_view line, std::int64_t number,
                 std::vector<double>& record) const {
    const auto take = [&](const PlyProperty& property) {
      const std::string_view word = next_word(line);
      double value = 0;
      if (!parse_number(word, value)) {
        throw FormatError(name_ + ":" + std::to_string(number) + ": PLY: property '" +
                          property.name + "' wants a number, got " +
                          (word.empty() ? "the end of the line" : in_quotes(word)));
      }
      return value;
    };
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      record[p] = take(property);
      if (!property.is_list) continue;
      const double items = record[p];
      for (double i = 0; i < items; ++i) take(property);  // ends at the end of the line at latest
    }
  }

  const std::byte* advance(std::uint64_t count, const PlyElement& element, std::uint64_t record) {
    if (count > bytes_.size() - at_) {
      throw FormatError(name_ + ": PLY: ends inside " + in_quotes(element.name) + " record " +
                        std::to_string(record + 1) + " of " + std::to_string(element.count) +
                        "; the file is cut off");
    }
    const std::byte* from = bytes_.data() + at_;
    at_ += count;
    return from;
  }

  void read_binary(const PlyElement& element, bool vertices) {
    const auto& properties = element.properties;
    const bool fixed = std::none_of(properties.begin(), properties.end(),
                                    [](const PlyProperty& p) { return p.is_list; });
    if (properties.empty()) return;
    if (fixed && !vertices) {
      const std::uint64_t record = least_record_bytes(element, false);
      const std::uint64_t fitting = (bytes_.size() - at_) / record;
      if (element.count > fitting) advance(UINT64_MAX, element, fitting);
      advance(element.count * record, element, 0);
      return;
    }
    std::vector<double> record(properties.size());
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (std::size_t p = 0; p < properties.size(); ++p) {
        const PlyProperty& property = properties[p];
        const DType type = property.is_list ? property.count_type : property.type;
        record[p] = load_number(advance(item_size(type), element, i), type, big_);
        if (property.is_list) {
          const double items = std::max(record[p], 0.0);  // at most 2^32 - 1: exact
          advance(static_cast<std::uint64_t>(items) * item_size(property.type), element, i);
        }
      }
      if (vertices) take_vertex(element, record);
    }
  }

  std::span<const std::byte> bytes_;
  std::string_view text_;
  const std::string& name_;
  PlyHeader header_;
  bool big_;
  std::size_t at_ = 0;
  Wanted wanted_;
  PointCloud cloud_;
};

}  // namespace

PointCloud read_ply(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  return parse_ply(file.span(), path.string());
}

PointCloud parse_ply(std::span<const std::byte> bytes, const std::string& name) {
  const Content content = content_of(bytes);
  if (content != Content::ply && content != Content::unknown) {
    throw FormatError(name + ": is " + std::string(content_words(content)) + "; wanted a PLY file");
  }
  return Reader(bytes, name).read();
}

}  // namespace grasppanda::io
