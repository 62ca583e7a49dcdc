#include "lib/config/config_error.h"

namespace grasppanda::config {

std::string Problem::text() const {
  std::string place = source;
  if (line > 0) place += ":" + std::to_string(line);
  if (line > 0 && column > 0) place += ":" + std::to_string(column);
  return place.empty() ? message : place + ": " + message;
}

namespace {

std::string lines_of(const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems) lines += (lines.empty() ? "" : "\n") + problem.text();
  return lines;
}

}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(lines_of(problems)), problems_(std::move(problems)) {}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown;
  for (const char c : text) {
    if (shown.size() >= kLongest) return shown + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view hex = "0123456789abcdef";
      shown += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace grasppanda::config
