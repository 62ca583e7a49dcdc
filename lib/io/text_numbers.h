// Lines and numbers of text formats (XYZ, ascii PLY and PCD), independent of the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::io {

/// Walks the lines of a text, ended by LF, CR LF or its end, and counts them.
class TextLines {
 public:
  explicit TextLines(std::string_view text, std::int64_t lines_before = 0)
      : text_(text), number_(lines_before) {}

  /// The next line without its end; false when there is none.
  bool next(std::string_view& line);
  /// Of the line that next() gave last, counted from 1.
  std::int64_t number() const { return number_; }
  /// Where the next line starts.
  std::size_t offset() const { return offset_; }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::int64_t number_ = 0;
};

/// Takes the next word off the front of `line`, words being separated by spaces, tabs and
/// whatever else stands in `separators`; empty when there is none.
std::string_view next_word(std::string_view& line, std::string_view separators = {});

/// The whole word as a number: "1", "+1.5e-3", "nan", "-inf". False when it is none. What double
/// cannot hold becomes infinite or 0.
bool parse_number(std::string_view word, double& value);

/// A name for files whose words are separated by blanks: each blank, tab and line feed is a `_`.
std::string as_one_word(std::string name);

/// A word of a file as messages show it: short, printable, in quotes.
std::string in_quotes(std::string_view word);

}  // namespace grasppanda::io
