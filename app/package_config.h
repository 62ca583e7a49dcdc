// The JSON files in which oriented-det keeps a model's settings, read as a configuration.
#pragma once

#include <filesystem>
#include <string>

namespace grasppanda::app {

/// By its suffix, in any case.
bool is_package_config(const std::filesystem::path& file);

/// The same settings under our keys, as YAML. Bases (`_base_`) are merged first, `_muted_` keys are
/// left out, what is not set keeps our default. Throws ConfigError: unreadable, no object, a model
/// or a value that we have not got, bases without end.
std::string package_config_yaml(const std::filesystem::path& file);

}  // namespace grasppanda::app
