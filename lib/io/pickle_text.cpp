#include "lib/io/pickle_text.h"

#include <charconv>
#include <limits>
#include <string>

#include "lib/io/utf8.h"

namespace grasppanda::io {

namespace {

// `count` hexadecimal digits after text[at]; moves `at` to the last one.
std::uint32_t hex_digits(PickleBuilder& builder, std::string_view text, std::size_t& at,
                         std::size_t count) {
  std::uint32_t value = 0;
  const char* first = text.data() + at + 1;
  if (text.size() - at - 1 < count ||
      std::from_chars(first, first + count, value, 16).ptr != first + count) {
    builder.damaged("a text in its pickle has a broken escape");
  }
  at += count;
  return value;
}

}  // namespace

PickleValue* python2_string(PickleBuilder& builder, std::string_view bytes) {
  return is_valid_utf8(bytes) ? builder.text(bytes) : builder.bytes(bytes);
}

PickleValue* decimal_integer(PickleBuilder& builder, std::string_view text) {
  if (text.ends_with('L')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc() && whole) return builder.make(PickleKind::integer, value);
  if (error == std::errc::result_out_of_range && whole) {
    return builder.bytes(text, PickleKind::big_integer);
  }
  builder.damaged("its pickle has a word for a number");
}

PickleValue* decimal_real(PickleBuilder& builder, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) {
    builder.damaged("its pickle has a word for a number");
  }
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  return builder.make(PickleKind::real, value);
}

PickleValue* quoted_string(PickleBuilder& builder, std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() || (text[0] != '\'' && text[0] != '"')) {
    builder.damaged("a string in its pickle has no quotes");
  }
  text = text.substr(1, text.size() - 2);
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      result += text[at];
      continue;
    }
    switch (const char escaped = text[++at]) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case 'x':
        result += static_cast<char>(hex_digits(builder, text, at, 2));
        break;
      default:
        result += escaped;
    }
  }
  return python2_string(builder, result);
}

PickleValue* escaped_text(PickleBuilder& builder, std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (byte == '\\' && (next == 'u' || next == 'U')) {
      ++at;
      append_utf8(result, hex_digits(builder, text, at, next == 'u' ? 4 : 8));
    } else {
      append_utf8(result, byte);
    }
  }
  return builder.text(result);
}

}  // namespace grasppanda::io
