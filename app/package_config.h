// oriented-det's JSON files as configurations.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/config/config.h"

namespace grasppanda::app {

/// By its suffix, in any case.
bool is_package_config(const std::filesystem::path& file);

struct PackageConfig {
  config::Config config;
  std::vector<std::string> warnings;  // keys that were probably meant to be others
};

/// As config::load_config. Origins and problems name the JSON file, a base file where the value
/// comes from one, and its own key: "run.json: production.score_threshold". Throws ConfigError,
/// also for a model or a value that we have not got.
PackageConfig load_package_config(const std::filesystem::path& file,
                                  std::span<const config::Override> overrides,
                                  std::span<const config::KeyTable* const> tables);

}  // namespace grasppanda::app
