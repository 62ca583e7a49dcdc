#include "app/package_config.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/package_keys.h"
#include "app/package_settings.h"
#include "app/package_translation.h"
#include "lib/config/config_error.h"

namespace grasppanda::app {

namespace {

std::string origin_of(const PackageSettings& settings, const TranslatedSetting& setting) {
  if (setting.from.empty()) return "oriented-det's default";
  return settings.file_of(setting.from).string() + ": " + setting.from;
}

/// A problem of an override, told with the file and key that the user wrote.
config::Problem in_their_words(config::Problem problem, const PackageSettings& settings,
                               const std::vector<TranslatedSetting>& translated) {
  for (const TranslatedSetting& setting : translated) {
    if (problem.source != origin_of(settings, setting)) continue;
    if (!problem.message.starts_with(setting.key + ":")) continue;
    return {settings.file_of(setting.from).string(), 0, 0,
            setting.from + problem.message.substr(setting.key.size())};
  }
  return problem;
}

}  // namespace

bool is_package_config(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".json";
}

PackageConfig load_package_config(const std::filesystem::path& file,
                                  std::span<const config::Override> overrides,
                                  std::span<const config::KeyTable* const> tables) {
  const PackageSettings settings = read_package_settings(file);
  const std::vector<TranslatedSetting> translated = translate_package_settings(settings);
  std::vector<config::Override> layers;
  for (const TranslatedSetting& setting : translated) {
    // JSON is YAML.
    layers.push_back({setting.key, setting.value.dump(), origin_of(settings, setting)});
  }
  layers.insert(layers.end(), overrides.begin(), overrides.end());
  try {
    return {config::parse_config("", file.string(), layers, tables),
            misspelt_package_keys(settings)};
  } catch (const config::ConfigError& error) {
    std::vector<config::Problem> problems;
    for (const config::Problem& problem : error.problems()) {
      problems.push_back(in_their_words(problem, settings, translated));
    }
    throw config::ConfigError(std::move(problems));
  }
}

}  // namespace grasppanda::app
