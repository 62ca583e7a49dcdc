// The JSON files in which oriented-det keeps a model's settings, base files merged.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace grasppanda::app {

struct PackageSettings {
  nlohmann::json values = nlohmann::json::object();
  std::filesystem::path file;  // the one that was named
  /// By dotted key ("production.score_threshold"): the file that set it last.
  std::map<std::string, std::filesystem::path, std::less<>> set_by;

  /// nullptr: not there, or null.
  const nlohmann::json* find(const std::string& dotted_key) const;
  const std::filesystem::path& file_of(std::string_view key) const {
    const auto found = set_by.find(key);
    return found == set_by.end() ? file : found->second;
  }
};

/// Bases (`_base_`) are merged first, objects deep; `_muted_` keys are left out. Throws ConfigError
/// with the file that is at fault: not readable, too large, no JSON (with line and column), no
/// object, bases without end, a section that another file's would replace by something else.
PackageSettings read_package_settings(const std::filesystem::path& file);

}  // namespace grasppanda::app
