// What a key takes, in words: for messages and the documentation.
#pragma once

#include <string>
#include <vector>

#include "lib/config/key_table.h"

namespace grasppanda::config {

/// What the key takes, as in "wants ...": "a number from 0 to 1 or auto".
std::string wanted(const Key& key);

/// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& parts);

/// The shortest decimal text that reads back as exactly this number.
std::string number_text(double number);

}  // namespace grasppanda::config
