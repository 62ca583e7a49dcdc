// One YAML value against one row of the key table.
#pragma once

#include <string>
#include <variant>

#include "lib/config/key_table.h"
#include "lib/config/value.h"
#include "lib/config/yaml_document.h"

namespace grasppanda::config {

/// What the key takes, as in "wants ...": "a number from 0 to 1 or auto".
std::string wanted(const Key& key);

/// The checked value (without origin and base), or what is wrong with it: "wants a whole number of
/// at least 0, got 'many'".
std::variant<Value, std::string> check_value(const Key& key, const YamlNode& node);

/// The shortest decimal text that reads back as exactly this number.
std::string number_text(double number);

}  // namespace grasppanda::config
