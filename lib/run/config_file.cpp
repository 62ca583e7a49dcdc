#include "lib/run/config_file.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace grasppanda::run {

namespace {

bool is_plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
         std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

std::string quoted(std::string_view argument) {
  if (!argument.empty() && std::ranges::all_of(argument, is_plain)) return std::string(argument);
  std::string text;
  if (std::ranges::none_of(argument, is_control)) {
    text = "'";
    for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }
  text = "$'";
  for (char c : argument) {
    if (is_control(static_cast<unsigned char>(c))) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\%03o", static_cast<unsigned char>(c));
      text += escape.data();
    } else {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::string shell_text(std::span<const std::string> command_line) {
  std::string text;
  for (const std::string& argument : command_line) {
    if (!text.empty()) text += ' ';
    text += quoted(argument);
  }
  return text;
}

std::string config_file_text(std::string_view yaml, std::span<const std::string> command_line) {
  std::string text = "# " + shell_text(command_line) + "\n" + std::string(yaml);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace grasppanda::run
