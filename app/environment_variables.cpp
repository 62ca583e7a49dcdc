#include "app/environment_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace grasppanda::app {

std::map<std::string, std::string> read_environment() {
  constexpr std::array<std::string_view, 6> names = {
      "NO_COLOR", "TERM", "HOME", "PATH", "CUDA_HOME", "TORCH_CUDA_ARCH_LIST"};
  std::map<std::string, std::string> known;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (name.starts_with("GRASPPANDA_") || name.starts_with("SLURM_ARRAY_") ||
        std::find(names.begin(), names.end(), name) != names.end())
      known.emplace(name, text.substr(equals + 1));
  }
  return known;
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    all.emplace_back(*entry);
  return all;
}

}  // namespace grasppanda::app
