#include "app/package_config.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/package_translation.h"
#include "lib/config/config_error.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr int kMostFiles = 100;  // bases of bases
constexpr int kDeepestObject = 64;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw config::ConfigError({{file.string(), 0, 0, message}});
}

/// Objects are merged deep, everything else is replaced.
void lay_over(json& under, const json& over) {
  for (const auto& [key, value] : over.items()) {
    if (key.starts_with("_muted_") || key == "_base_") continue;
    if (value.is_object()) {
      if (!under.contains(key) || !under[key].is_object()) under[key] = json::object();
      lay_over(under[key], value);
    } else {
      under[key] = value;
    }
  }
}

json merged(const std::filesystem::path& file, int& files) {
  if (++files > kMostFiles) refuse(file, "_base_ files name each other without end");
  std::ifstream stream(file);
  if (!stream) refuse(file, "cannot be read");
  const auto not_too_deep = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestObject) refuse(file, "is nested without end");
    return true;
  };
  const json own = json::parse(stream, not_too_deep, false);
  if (!own.is_object()) refuse(file, "is no JSON object");
  json result = json::object();
  const json bases = own.value("_base_", json::array());
  const json list = bases.is_array() ? bases : json::array({bases});
  for (const json& base : list) {
    if (!base.is_string()) refuse(file, "_base_ wants the name of a file or a list of them");
    lay_over(result, merged(file.parent_path() / base.get<std::string>(), files));
  }
  lay_over(result, own);
  return result;
}

}  // namespace

bool is_package_config(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".json";
}

std::string package_config_yaml(const std::filesystem::path& file) {
  // JSON is YAML.
  int files = 0;
  return translate_package_settings(merged(file, files), file)
      .dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace grasppanda::app
