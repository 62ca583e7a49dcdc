// What docs/extend.md demands of everything that stands in one of the lists.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace grasppanda::tests {

/// One sentence per thing that a listed operator, model or output format lacks, and per operator
/// that is in no list. `listed` counts what was looked at.
std::vector<std::string> missing_parts(const std::filesystem::path& root, int& listed);

/// "file: target" of every relative link in README.md and docs/ that leads nowhere.
std::vector<std::string> broken_links(const std::filesystem::path& root, int& links);

}  // namespace grasppanda::tests
