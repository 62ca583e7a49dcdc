// The settings of oriented-det, key by key, under ours.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace grasppanda::app {

/// `settings`: bases merged, muted keys left out. What is not set keeps our default. Throws
/// ConfigError, with `file`, for what we cannot do as the package does it, and for keys of
/// `preprocessing` and `production` that are not known, which change what a user gets.
nlohmann::json translate_package_settings(nlohmann::json settings,
                                          const std::filesystem::path& file);

}  // namespace grasppanda::app
