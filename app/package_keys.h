// Which keys a JSON file of oriented-det may have.
#pragma once

#include <string>
#include <vector>

#include "app/package_settings.h"

namespace grasppanda::app {

/// Throws ConfigError, with the file that set it, for a section that is no object; for keys of
/// `preprocessing` and `production` that are not known, which change what a user gets; for a value
/// that would make another network of `model` ("rotated_fcos") than ours, which gives other boxes.
void require_package_keys(const PackageSettings& settings, const std::string& model);

/// A sentence for each key of the other sections that is not read and looks like one that is. What
/// else is there is training's, and not ours to judge.
std::vector<std::string> misspelt_package_keys(const PackageSettings& settings);

}  // namespace grasppanda::app
