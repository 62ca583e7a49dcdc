// The key tables of this version, and shorthands for loading from text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/config.h"
#include "models/contact_graspnet/keys.h"

namespace grasppanda::tests {

inline std::span<const config::KeyTable* const> tables() {
  static const std::array<const config::KeyTable*, 2> all = {&config::common_keys(),
                                                             &models::contact_graspnet_keys()};
  return all;
}

inline config::Config load(std::string_view yaml,
                           const std::vector<config::Override>& overrides = {}) {
  return config::parse_config(yaml, "run.yaml", overrides, tables());
}

/// The lines of the error, or {"no error"}.
inline std::vector<std::string> problems(std::string_view yaml,
                                         const std::vector<config::Override>& overrides = {}) {
  try {
    load(yaml, overrides);
  } catch (const config::ConfigError& error) {
    std::vector<std::string> lines;
    for (const config::Problem& problem : error.problems()) lines.push_back(problem.text());
    return lines;
  }
  return {"no error"};
}

inline const std::string kModel = "model: {name: contact_graspnet}\n";

}  // namespace grasppanda::tests
