// Every library of this program but LibTorch, with its version: a part of env.json.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace grasppanda::app {

/// Those of the program itself (command line, configuration, log).
std::vector<std::pair<std::string, std::string>> program_library_versions();

}  // namespace grasppanda::app
