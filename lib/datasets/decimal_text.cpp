#include "lib/datasets/decimal_text.h"

#include <array>
#include <charconv>

namespace grasppanda::datasets {

std::string decimal_text(double value) {
  std::array<char, 1100> buffer;  // the longest double has 1077 characters
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  std::string text(buffer.data(), end);
  if (text.find('.') == text.npos) text += ".0";
  return text;
}

}  // namespace grasppanda::datasets
