#include "lib/io/text_numbers.h"

#include <algorithm>

#include <charconv>
#include <limits>

#include "lib/io/printable_text.h"

namespace grasppanda::io {

bool TextLines::next(std::string_view& line) {
  if (offset_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', offset_), text_.size());
  line = text_.substr(offset_, end - offset_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  offset_ = std::min(end + 1, text_.size());
  ++number_;
  return true;
}

std::string_view next_word(std::string_view& line, std::string_view separators) {
  const auto separates = [&](char c) {
    return c == ' ' || c == '\t' || separators.find(c) != std::string_view::npos;
  };
  std::size_t start = 0;
  while (start < line.size() && separates(line[start])) ++start;
  std::size_t end = start;
  while (end < line.size() && !separates(line[end])) ++end;
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

bool parse_number(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop != end || word.empty()) return false;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    const double size = tiny ? 0 : std::numeric_limits<double>::infinity();
    value = word[0] == '-' ? -size : size;
    return true;
  }
  return error == std::errc();
}

std::string as_one_word(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '\t' || c == '\n'; }, '_');
  return name;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kShown = 40;
  std::string text = "'";
  return text.append(printable(word, kShown)) += '\'';
}

}  // namespace grasppanda::io
