#include "tests/architecture/completeness.h"

#include <regex>
#include <set>

#include "tests/architecture/source_tree.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;

void demand(bool there, const std::string& sentence, std::vector<std::string>& missing) {
  if (!there) missing.push_back(sentence);
}

bool has_heading(const fs::path& page, const std::string& word) {
  return std::regex_search(read_text(page),
                           std::regex("(^|\n)#+ [^\n]*\\b" + word + "\\b", std::regex::ECMAScript));
}

/// Whether a file under `folder` is called `name` and holds `text`.
bool folder_has(const fs::path& folder, const std::regex& name, const std::string& text) {
  if (!fs::is_directory(folder)) return false;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (std::regex_match(entry.path().filename().string(), name) &&
        read_text(entry.path()).find(text) != std::string::npos)
      return true;
  return false;
}

/// The first string of every row {"name", ...} of a list.
std::vector<std::string> rows_of(const fs::path& list) {
  static const std::regex row(R"re(\{\s*"([a-z0-9_]+)"\s*,)re");
  const std::string text = read_text(list);
  std::vector<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), row); i != std::sregex_iterator(); ++i)
    names.push_back((*i)[1]);
  return names;
}

bool declares_function(const fs::path& header, const std::string& name) {
  for (const std::string& line : parse_source({}, read_text(header)).code_lines)
    if (std::regex_search(line, std::regex("\\b" + name + "\\("))) return true;
  return false;
}

std::set<std::string> ops_headers_used_outside(const fs::path& root) {
  std::set<std::string> headers;
  for (const SourceFile& file : read_source_tree(root)) {
    if (file.path.starts_with("lib/ops/") || file.path.starts_with("tests/")) continue;
    for (const Include& include : includes_of(file))
      if (include.target.starts_with("lib/ops/")) headers.insert(include.target);
  }
  return headers;
}

void check_operators(const fs::path& root, int& listed, std::vector<std::string>& missing) {
  const fs::path list = root / "lib/ops/operator_list.cpp";
  std::set<std::string> operators;
  for (const Include& include : includes_of(parse_source({}, read_text(list)))) {
    std::smatch match;
    if (!std::regex_match(include.target, match, std::regex("lib/ops/([a-z]+)/([a-z0-9_]+)\\.h")))
      continue;
    const std::string family = match[1];
    const std::string name = match[2];
    ++listed;
    operators.insert(include.target);
    demand(folder_has(root / "tests/ops" / family, std::regex(".*_test\\.cpp"), include.target),
           "operator " + name + ": no test in tests/ops/" + family + " includes it", missing);
    demand(has_heading(root / "docs/ops" / (family + ".md"), name),
           "operator " + name + ": no section in docs/ops/" + family + ".md", missing);
  }
  // Whatever is called from outside the room is an operator; the rest are its steps.
  for (const std::string& header : ops_headers_used_outside(root)) {
    const fs::path path(header);
    if (path.parent_path() != "lib/ops" && declares_function(root / path, path.stem().string()))
      demand(operators.contains(header), header + ": not in lib/ops/operator_list.cpp", missing);
  }
}

bool folder_has_heading(const fs::path& folder, const std::string& name) {
  if (!fs::is_directory(folder)) return false;
  for (const auto& entry : fs::directory_iterator(folder))
    if (has_heading(entry.path(), name)) return true;
  return false;
}

void check_models(const fs::path& root, int& listed, std::vector<std::string>& missing) {
  for (const std::string& name : rows_of(root / "models/model_list.cpp")) {
    ++listed;
    const std::string model = "model " + name + ": no ";
    demand(folder_has(root / "configs", std::regex(".*\\.yaml"), "name: " + name),
           model + "file in configs/", missing);
    // A page of its own, or a section of its project's page.
    demand(fs::exists(root / "docs/models" / (name + ".md")) ||
               folder_has_heading(root / "docs/models", name),
           model + "docs/models/" + name + ".md", missing);
    demand(folder_has(root / "tests/models", std::regex(name + ".*_test\\.cpp"), "golden"),
           model + "test in tests/models/ against goldens", missing);
  }
}

void check_writers(const fs::path& root, int& listed, std::vector<std::string>& missing) {
  const std::string page = read_text(root / "docs/outputs.md");
  for (const std::string& format : rows_of(root / "lib/run/writer_list.cpp")) {
    ++listed;
    demand(page.find("`" + format + "`") != std::string::npos,
           "output format " + format + ": no row in docs/outputs.md", missing);
  }
}

void check_metrics(const fs::path& root, int& listed, std::vector<std::string>& missing) {
  for (const std::string& name : rows_of(root / "lib/eval/metric_list.cpp")) {
    ++listed;
    const std::string metric = "metric " + name + ": no ";
    const std::string header = "lib/eval/" + name + ".h";
    demand(fs::exists(root / header), metric + header, missing);
    demand(folder_has(root / "tests/eval", std::regex(".*_rules_test\\.cpp"), header),
           metric + "case by hand in tests/eval/*_rules_test.cpp includes it", missing);
    demand(folder_has(root / "tests/eval", std::regex(".*_golden_test\\.cpp"), header),
           metric + "test in tests/eval/*_golden_test.cpp includes it", missing);
    demand(has_heading(root / "docs/evaluation.md", name), metric + "section in docs/evaluation.md",
           missing);
  }
}

}  // namespace

std::vector<std::string> missing_parts(const fs::path& root, int& listed) {
  std::vector<std::string> missing;
  check_operators(root, listed, missing);
  check_models(root, listed, missing);
  check_writers(root, listed, missing);
  check_metrics(root, listed, missing);
  return missing;
}

std::vector<std::string> broken_links(const fs::path& root, int& links) {
  std::vector<fs::path> pages = {root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  static const std::regex link(R"re(\]\(([^)#\s]+)[^)]*\))re");
  std::vector<std::string> broken;
  for (const fs::path& page : pages) {
    const std::string text = read_text(page);
    for (std::sregex_iterator i(text.begin(), text.end(), link); i != std::sregex_iterator(); ++i) {
      const std::string target = (*i)[1];
      if (target.find("://") != std::string::npos) continue;
      ++links;
      if (!fs::exists(page.parent_path() / target))
        broken.push_back(page.lexically_relative(root).generic_string() + ": " + target);
    }
  }
  return broken;
}

}  // namespace grasppanda::tests
