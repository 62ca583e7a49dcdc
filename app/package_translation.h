// The settings of oriented-det, key by key, under ours.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/package_settings.h"

namespace grasppanda::app {

struct TranslatedSetting {
  std::string key;  // ours: "detect.display_threshold"
  nlohmann::json value;
  std::string from;  // the package's: "production.score_threshold"; "": what it takes by itself
};

/// What is not set keeps our default and is not there. Throws ConfigError, with the file that set
/// it, for what we cannot do as the package does it, and for keys of `preprocessing` and
/// `production` that are not known, which change what a user gets.
std::vector<TranslatedSetting> translate_package_settings(const PackageSettings& settings);

}  // namespace grasppanda::app
