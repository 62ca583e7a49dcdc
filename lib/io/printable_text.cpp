#include "lib/io/printable_text.h"

#include "lib/io/utf8.h"

namespace grasppanda::io {

std::string printable(std::string_view text, std::size_t most) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    if (result.size() >= most) return result + "...";
    const std::size_t size = utf8_size(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    // Control characters of ASCII and of Latin-1 (C2 80 to C2 9F): terminals obey both.
    const bool control = lead < 0x20 || lead == 0x7f ||
                         (lead == 0xc2 && size == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (size == 0 || control) {
      result += {'\\', 'x', kDigits[lead >> 4], kDigits[lead & 15]};
      text.remove_prefix(1);
    } else {
      result += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  return result;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  std::string result(1, '\'');
  result += printable(text, most);
  result += '\'';
  return result;
}

}  // namespace grasppanda::io
