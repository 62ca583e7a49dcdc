// Which format libraries this room works with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace grasppanda::io {

/// Name and version, of the library that is loaded where it can be asked, else of its headers.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace grasppanda::io
