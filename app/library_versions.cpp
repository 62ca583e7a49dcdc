#include "app/library_versions.h"

#include <spdlog/version.h>

#include <CLI/Version.hpp>

namespace grasppanda::app {

std::vector<std::pair<std::string, std::string>> program_library_versions() {
  return {{"CLI11", CLI11_VERSION},
          {"spdlog", std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR) +
                         "." + std::to_string(SPDLOG_VER_PATCH)},
          {"yaml-cpp", GRASPPANDA_YAML_CPP_VERSION}};
}

}  // namespace grasppanda::app
