#include "app/commands/ran_out.h"

#include <algorithm>

namespace grasppanda::app {

namespace {

std::string words_of(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

}  // namespace

std::string where_it_ran_out(std::span<const std::pair<std::string, std::int64_t>> counts,
                             const std::string& what) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [name, count] = counts[i];
    if (count != 0) continue;
    std::string text = "no " + what + ": nothing is left at '" + words_of(name) + "'";
    if (i > 0) {
      text += " (" + std::to_string(counts[i - 1].second) + " at '" +
              words_of(counts[i - 1].first) + "')";
    }
    return text;
  }
  return "no " + what + ": the model kept none";
}

}  // namespace grasppanda::app
