#include "lib/io/pcd_header.h"

#include <charconv>
#include <limits>
#include <optional>

#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

constexpr std::size_t kMaxFields = 256;
constexpr std::uint64_t kMaxItems = 1 << 16;  // of one field: descriptors have some hundreds

class HeaderParser {
 public:
  HeaderParser(std::string_view file, const std::string& name) : lines_(file), name_(name) {}

  PcdHeader parse() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::string_view keyword = next_word(line);
      if (keyword.empty() || keyword.starts_with('#')) continue;
      if (keyword == "DATA") {
        parse_encoding(next_word(line));
        finish();
        return std::move(header_);
      }
      parse_line(keyword, line);
    }
    fail("the header has no DATA line; the file is cut off or no PCD file");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ":" + std::to_string(std::max<std::int64_t>(lines_.number(), 1)) +
                      ": PCD: " + what);
  }

  std::uint64_t number(std::string_view word) const {
    std::uint64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end || word.empty()) {
      fail("wants a whole number, got " + in_quotes(word));
    }
    return value;
  }

  void parse_line(std::string_view keyword, std::string_view line) {
    if (keyword == "FIELDS" || keyword == "COLUMNS") {
      for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
        if (header_.fields.size() == kMaxFields) fail("more than 256 fields");
        header_.fields.emplace_back().name = word;
      }
    } else if (keyword == "SIZE" || keyword == "TYPE" || keyword == "COUNT") {
      for (PcdField& field : header_.fields) {
        const std::string_view word = next_word(line);
        if (word.empty()) fail(std::string(keyword) + " has fewer entries than FIELDS");
        parse_entry(keyword, word, field);
      }
      if (!next_word(line).empty()) fail(std::string(keyword) + " has more entries than FIELDS");
    } else if (keyword == "WIDTH") {
      width_ = number(next_word(line));
    } else if (keyword == "HEIGHT") {
      height_ = number(next_word(line));
    } else if (keyword == "POINTS") {
      points_ = number(next_word(line));
    } else if (keyword != "VERSION" && keyword != "VIEWPOINT") {
      fail("unknown keyword " + in_quotes(keyword) + " in the header");
    }
  }

  void parse_entry(std::string_view keyword, std::string_view word, PcdField& field) const {
    if (keyword == "TYPE") {
      if (word != "I" && word != "U" && word != "F") {
        fail("TYPE wants I, U or F, got " + in_quotes(word));
      }
      field.type = word[0];
      return;
    }
    const std::uint64_t value = number(word);
    if (keyword == "COUNT") {
      if (value > kMaxItems) fail("COUNT " + std::to_string(value) + " is above 65536");
      field.count = value;
    } else if (value == 1 || value == 2 || value == 4 || value == 8) {
      field.size = value;
    } else {
      fail("SIZE wants 1, 2, 4 or 8, got " + in_quotes(word));
    }
  }

  void parse_encoding(std::string_view word) {
    if (word == "ascii") {
      header_.encoding = PcdHeader::Encoding::ascii;
    } else if (word == "binary") {
      header_.encoding = PcdHeader::Encoding::binary;
    } else if (word == "binary_compressed") {
      header_.encoding = PcdHeader::Encoding::compressed;
    } else {
      fail("DATA " + in_quotes(word) + "; wanted ascii, binary or binary_compressed");
    }
  }

  void finish() {
    if (header_.fields.empty()) fail("the header has no FIELDS");
    for (PcdField& field : header_.fields) {
      if (field.type == 'F' && field.size < 4) {
        fail("field " + in_quotes(field.name) + " has TYPE F of SIZE " +
             std::to_string(field.size));
      }
      field.offset = header_.point_bytes;
      header_.point_bytes += field.size * field.count;
    }
    if (height_ != 0 && width_ > std::numeric_limits<std::uint64_t>::max() / height_) {
      fail("WIDTH times HEIGHT is absurd");
    }
    if (!points_ && !width_given()) fail("the header has neither POINTS nor WIDTH and HEIGHT");
    header_.points = points_.value_or(width_ * height_);
    if (width_given() && header_.points != width_ * height_) {
      fail("POINTS is " + std::to_string(header_.points) + ", WIDTH times HEIGHT is " +
           std::to_string(width_ * height_));
    }
    header_.bytes = lines_.offset();
    header_.lines = lines_.number();
  }

  bool width_given() const { return width_ != kNone; }

  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  TextLines lines_;
  const std::string& name_;
  PcdHeader header_;
  std::uint64_t width_ = kNone, height_ = 1;
  std::optional<std::uint64_t> points_;
};

}  // namespace

PcdHeader parse_pcd_header(std::string_view file, const std::string& name) {
  return HeaderParser(file, name).parse();
}

}  // namespace grasppanda::io
