#include "lib/ops/rotated/python_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace grasppanda::ops {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// Takes digits from the front of `rest`; false when there are none, or an underscore that is not
// between two digits.
bool take_digits(std::string_view& rest, std::string& digits) {
  if (rest.empty() || !is_digit(rest.front())) return false;
  while (!rest.empty()) {
    if (is_digit(rest.front())) {
      digits += rest.front();
      rest.remove_prefix(1);
    } else if (rest.front() == '_' && rest.size() > 1 && is_digit(rest[1])) {
      rest.remove_prefix(1);
    } else {
      break;
    }
  }
  return true;
}

bool take_sign(std::string_view& rest) {
  if (rest.empty() || (rest.front() != '-' && rest.front() != '+')) return false;
  const bool negative = rest.front() == '-';
  rest.remove_prefix(1);
  return negative;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<double> parse_python_float(std::string_view text) {
  std::string_view rest = trimmed(text);
  const double sign = take_sign(rest) ? -1 : 1;
  const std::string word = lower(rest);
  if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  std::string number;
  const bool whole = take_digits(rest, number);
  bool fraction = false;
  if (!rest.empty() && rest.front() == '.') {
    number += '.';
    rest.remove_prefix(1);
    fraction = take_digits(rest, number);
  }
  if (!whole && !fraction) return std::nullopt;
  bool small_exponent = false;
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    small_exponent = take_sign(rest);
    number += small_exponent ? "e-" : "e";
    if (!take_digits(rest, number)) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range)
    value = small_exponent ? 0 : std::numeric_limits<double>::infinity();
  return sign * value;
}

std::optional<int64_t> parse_python_int(std::string_view text) {
  std::string_view rest = trimmed(text);
  const bool negative = take_sign(rest);
  std::string digits = negative ? "-" : "";
  if (!take_digits(rest, digits) || !rest.empty()) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  return value;
}

std::string python_repr(double value) {
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace grasppanda::ops
