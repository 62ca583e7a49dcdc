#include "lib/io/ply_header.h"

#include <charconv>
#include <optional>

#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

constexpr std::size_t kMaxProperties = 1000;  // of all elements together; real files have a dozen

struct TypeName {
  std::string_view name;
  DType type;
};

constexpr TypeName kTypes[] = {
    {"char", DType::int8},      {"int8", DType::int8},       {"uchar", DType::uint8},
    {"uint8", DType::uint8},    {"short", DType::int16},     {"int16", DType::int16},
    {"ushort", DType::uint16},  {"uint16", DType::uint16},   {"int", DType::int32},
    {"int32", DType::int32},    {"uint", DType::uint32},     {"uint32", DType::uint32},
    {"float", DType::float32},  {"float32", DType::float32}, {"double", DType::float64},
    {"float64", DType::float64}};

std::optional<DType> type_named(std::string_view name) {
  for (const TypeName& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

class HeaderParser {
 public:
  HeaderParser(std::string_view file, const std::string& name) : lines_(file), name_(name) {}

  PlyHeader parse() {
    std::string_view line;
    if (!lines_.next(line) || next_word(line) != "ply") fail("does not start with 'ply'");
    bool format_seen = false;
    while (lines_.next(line)) {
      const std::string_view keyword = next_word(line);
      if (keyword == "end_header") {
        if (!format_seen) fail("the header has no 'format' line");
        header_.bytes = lines_.offset();
        header_.lines = lines_.number();
        return std::move(header_);
      }
      if (keyword == "format") {
        parse_format(next_word(line));
        format_seen = true;
      } else if (keyword == "element") {
        parse_element(line);
      } else if (keyword == "property") {
        parse_property(line);
      } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
        fail("unknown keyword " + in_quotes(keyword) + " in the header");
      }
    }
    fail("the header has no 'end_header'; the file is cut off");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ":" + std::to_string(std::max<std::int64_t>(lines_.number(), 1)) +
                      ": PLY: " + what);
  }

  void parse_format(std::string_view word) {
    if (word == "ascii") {
      header_.encoding = PlyHeader::Encoding::ascii;
    } else if (word == "binary_little_endian") {
      header_.encoding = PlyHeader::Encoding::little_endian;
    } else if (word == "binary_big_endian") {
      header_.encoding = PlyHeader::Encoding::big_endian;
    } else {
      fail("format " + in_quotes(word) +
           "; wanted ascii, binary_little_endian or binary_big_endian");
    }
  }

  void parse_element(std::string_view line) {
    PlyElement element;
    element.name = next_word(line);
    const std::string_view count = next_word(line);
    const char* end = count.data() + count.size();
    const auto [stop, error] = std::from_chars(count.data(), end, element.count);
    if (element.name.empty() || error != std::errc() || stop != end) {
      fail("an element line wants a name and a count, got count " + in_quotes(count));
    }
    header_.elements.push_back(std::move(element));
    if (header_.elements.size() > kMaxProperties) fail("more than 1000 elements");
  }

  void parse_property(std::string_view line) {
    if (header_.elements.empty()) fail("a property before the first element");
    if (++properties_ > kMaxProperties) fail("more than 1000 properties");
    PlyProperty property;
    std::string_view type = next_word(line);
    if (type == "list") {
      property.is_list = true;
      property.count_type = known_type(next_word(line));
      if (property.count_type == DType::float32 || property.count_type == DType::float64) {
        fail("a list whose length is a floating number");
      }
      type = next_word(line);
    }
    property.type = known_type(type);
    property.name = next_word(line);
    if (property.name.empty()) fail("a property without a name");
    header_.elements.back().properties.push_back(std::move(property));
  }

  DType known_type(std::string_view word) const {
    const auto type = type_named(word);
    if (!type) fail("unknown type " + in_quotes(word));
    return *type;
  }

  TextLines lines_;
  const std::string& name_;
  PlyHeader header_;
  std::size_t properties_ = 0;
};

}  // namespace

PlyHeader parse_ply_header(std::string_view file, const std::string& name) {
  return HeaderParser(file, name).parse();
}

}  // namespace grasppanda::io
