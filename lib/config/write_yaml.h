// Checked values back to YAML text.
#pragma once

#include <string>
#include <string_view>

#include "lib/config/value.h"

namespace grasppanda::config {

/// A text as a YAML scalar: plain where that reads back as the same text (and as no word, number or
/// boolean), else in double quotes.
std::string quoted_if_needed(std::string_view text, const Key* key = nullptr);
std::string double_quoted(std::string_view text);

/// The value as it stands in a file; paths become absolute.
std::string value_yaml(const Value& value);

}  // namespace grasppanda::config
