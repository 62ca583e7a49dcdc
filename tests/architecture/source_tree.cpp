#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

namespace grasppanda::tests {
namespace {

/// Ends of a literal or comment that starts at `begin`; npos past the end of the text.
std::size_t end_of(const std::string& text, std::size_t begin, const std::string& mark) {
  const std::size_t found = text.find(mark, begin);
  return found == std::string::npos ? text.size() : found + mark.size();
}

std::size_t end_of_quoted(const std::string& text, std::size_t begin, char quote) {
  std::size_t at = begin;
  while (at < text.size() && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' ? std::size_t{2} : std::size_t{1};
  return std::min(at + 1, text.size());
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void keep_line_breaks(const std::string& text, std::size_t begin, std::size_t end,
                      std::string& out) {
  std::copy_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
               text.begin() + static_cast<std::ptrdiff_t>(end), std::back_inserter(out),
               [](char c) { return c == '\n'; });
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

}  // namespace

SourceFile parse_source(std::string path, const std::string& text) {
  std::string plain;
  std::string code;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    const char before = at > 0 ? text[at - 1] : '\n';
    if (text.compare(at, 2, "//") == 0 || text.compare(at, 2, "/*") == 0) {
      const bool to_line_end = text[at + 1] == '/';
      std::size_t end = end_of(text, at + 2, to_line_end ? "\n" : "*/");
      if (to_line_end && end < text.size()) --end;
      keep_line_breaks(text, at, end, plain);
      keep_line_breaks(text, at, end, code);
      at = end;
    } else if (c == '"' || (c == '\'' && !is_word(before))) {  // not the ' of 1'000
      std::size_t end = 0;
      if (c == '"' && before == 'R') {
        const std::string delimiter = text.substr(at + 1, text.find('(', at) - at - 1);
        end = end_of(text, at + 1, ")" + delimiter + "\"");
      } else {
        end = end_of_quoted(text, at + 1, c);
      }
      plain += text.substr(at, end - at);
      code += c;
      keep_line_breaks(text, at, end, code);
      code += c;
      at = end;
    } else {
      plain += c;
      code += c;
      ++at;
    }
  }
  return {std::move(path), split_lines(plain), split_lines(code)};
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(file.lines[i], match, pattern))
      found.push_back({static_cast<int>(i) + 1, match[2], match[1] == "<"});
  }
  return found;
}

std::vector<SourceFile> read_source_tree(const std::filesystem::path& root) {
  std::vector<SourceFile> files;
  for (const char* top : {"app", "lib", "models", "tests"}) {
    if (!std::filesystem::is_directory(root / top)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const std::string suffix = entry.path().extension().string();
      if (entry.is_regular_file() &&
          (suffix == ".h" || suffix == ".cpp" || suffix == ".cu" || suffix == ".in"))
        files.push_back(parse_source(entry.path().lexically_relative(root).generic_string(),
                                     read_text(entry.path())));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace grasppanda::tests
