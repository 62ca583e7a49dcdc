// Who may include whom (docs/extend.md), as a function of one #include line.
#pragma once

#include <optional>
#include <string>

#include "tests/architecture/source_tree.h"

namespace grasppanda::tests {

/// Why `file` (path from the repository root) may not have this line, or nothing.
std::optional<std::string> why_forbidden(const std::string& file, const Include& include);

}  // namespace grasppanda::tests
