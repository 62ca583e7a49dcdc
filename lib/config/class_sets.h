// The sets of classes that `detect.classes` calls by a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::config {

/// "dota15", "dota16", "dota18": DOTA v1.0, 1.5 and 2.0 in MMRotate's order; "hrsc". Empty for any
/// other word.
std::vector<std::string> class_set(std::string_view word);

}  // namespace grasppanda::config
