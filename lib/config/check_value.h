// One YAML value against one row of the key table.
#pragma once

#include <string>
#include <variant>

#include "lib/config/key_table.h"
#include "lib/config/value.h"
#include "lib/config/yaml_document.h"

namespace grasppanda::config {

/// The checked value (without origin and base), or what is wrong with it: "wants a whole number of
/// at least 0, got 'many'".
std::variant<Value, std::string> check_value(const Key& key, const YamlNode& node);

}  // namespace grasppanda::config
