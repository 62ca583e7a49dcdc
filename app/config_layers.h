// The layers over a config file: environment, then the command line in the order typed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/parser.h"
#include "lib/config/config.h"

namespace grasppanda::app {

/// The text of GRASPPANDA_OPS as overrides of `runtime.ops`: one backend for all operators, or
/// `fps=reference,knn=compiled`. Throws config::ConfigError for any other form.
std::vector<config::Override> backend_overrides(const std::string& text);

/// Environment first, so that flags win. Throws UsageError for a --set without '='.
std::vector<config::Override> config_overrides(
    const Parsed& parsed, const std::map<std::string, std::string>& environment);

/// Loads what the command line names into `parsed.invocation.config`, where the command has one.
void resolve_config(Parsed& parsed);

}  // namespace grasppanda::app
