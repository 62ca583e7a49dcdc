// The repository as text: what the house rules are checked on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace grasppanda::tests {

struct SourceFile {
  std::string path;                     // from the repository root, '/' between folders
  std::vector<std::string> lines;       // without comments
  std::vector<std::string> code_lines;  // without comments and without the text of literals
};

struct Include {
  int line = 0;
  std::string target;
  bool angled = false;  // <...>
};

/// `text` cut into lines, comments and literals removed as stated above; the line count stays.
SourceFile parse_source(std::string path, const std::string& text);

std::vector<Include> includes_of(const SourceFile& file);

/// Every .h .cpp .cu .in file under app, lib, models and tests, by path.
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

std::string read_text(const std::filesystem::path& file);

}  // namespace grasppanda::tests
