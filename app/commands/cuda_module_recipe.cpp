#include "app/commands/cuda_module_recipe.h"

#include <algorithm>
#include <fstream>
#include <regex>

#include "app/report_error.h"
#include "lib/io/format_error.h"
#include "lib/io/sha256.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipe = "lib/ops/cuda_module.recipe";
constexpr std::size_t kRevisionDigits = 16;

fs::path find_sources(const fs::path& library) {
  const fs::path installed =
      library.parent_path().parent_path() / "share" / "grasppanda" / "sources";
  const fs::path build_tree = GRASPPANDA_SOURCE_TREE;
  std::error_code error;
  for (const fs::path& root : {installed, build_tree})
    if (fs::exists(root / kRecipe, error)) return root;
  throw io::FormatError("the CUDA sources are neither in " + installed.string() + " nor in " +
                        build_tree.string() + "; install grasppanda as a whole");
}

// As scripts/cmake/CudaModule.cmake does it: a hash over the hashes of the files.
std::string revision_of(const CudaModuleRecipe& recipe) {
  std::vector<std::string> files = {kRecipe};
  files.insert(files.end(), recipe.sources.begin(), recipe.sources.end());
  files.insert(files.end(), recipe.headers.begin(), recipe.headers.end());
  std::string hashes;
  for (const std::string& file : files) hashes += io::sha256_file_hex(recipe.root / file);
  return io::sha256_hex(std::as_bytes(std::span(hashes))).substr(0, kRevisionDigits);
}

}  // namespace

CudaModuleRecipe read_cuda_module_recipe(const fs::path& library) {
  CudaModuleRecipe recipe;
  recipe.root = find_sources(library);
  std::ifstream lines(recipe.root / kRecipe);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
    const std::string word = line.substr(0, space), rest = line.substr(space + 1);
    if (word == "source")
      recipe.sources.push_back(rest);
    else if (word == "header")
      recipe.headers.push_back(rest);
    else if (word == "flag")
      recipe.flags.push_back(rest);
    else if (word == "code")
      recipe.architectures.push_back(std::stoi(rest));
    else
      throw io::FormatError((recipe.root / kRecipe).string() + ": no line begins with '" + word +
                            "'; install grasppanda as a whole");
  }
  recipe.revision = revision_of(recipe);
  return recipe;
}

std::string CudaArchitectures::text() const {
  std::string all;
  for (const std::string& architecture : code) {
    const bool both = std::ranges::find(intermediate, architecture) != intermediate.end();
    all += (all.empty() ? "" : " ") + architecture + (both ? "+PTX" : "");
  }
  return all;
}

CudaArchitectures settle_architectures(const CudaModuleRecipe& recipe, const CudaToolkit& toolkit,
                                       const std::string& list) {
  CudaArchitectures settled;
  static const std::regex separators("[;, ]+");
  static const std::regex entry(R"(([0-9]+)\.([0-9])([af]?)(\+PTX)?)");
  for (std::sregex_token_iterator i(list.begin(), list.end(), separators, -1), end; i != end; ++i) {
    const std::string text = *i;
    if (text.empty()) continue;
    std::smatch match;
    if (!std::regex_match(text, match, entry))
      throw UsageError("TORCH_CUDA_ARCH_LIST: '" + text +
                       "' is no architecture, wants numbers such as '8.0;9.0+PTX'");
    settled.code.push_back(match[1].str() + match[2].str() + match[3].str());
    if (match[4].matched) settled.intermediate.push_back(settled.code.back());
  }
  if (!settled.code.empty()) return settled;
  for (const int wanted : recipe.architectures)
    if (std::ranges::find(toolkit.architectures, wanted) != toolkit.architectures.end())
      settled.code.push_back(std::to_string(wanted));
  if (settled.code.empty())
    throw UsageError(toolkit.nvcc.string() + " knows none of the architectures of this program; " +
                     "name some in TORCH_CUDA_ARCH_LIST");
  settled.intermediate.push_back(settled.code.front());
  return settled;
}

std::vector<std::string> compile_command(const CudaModuleRecipe& recipe, const CudaToolkit& toolkit,
                                         const CudaArchitectures& architectures,
                                         const fs::path& output) {
  std::vector<std::string> words = {toolkit.nvcc.string(), "-shared"};
  words.insert(words.end(), recipe.flags.begin(), recipe.flags.end());
  for (const std::string& architecture : architectures.intermediate)
    words.insert(words.end(),
                 {"-gencode", "arch=compute_" + architecture + ",code=compute_" + architecture});
  for (const std::string& architecture : architectures.code)
    words.insert(words.end(),
                 {"-gencode", "arch=compute_" + architecture + ",code=sm_" + architecture});
  words.insert(words.end(),
               {"--threads", "0", "-I" + recipe.root.string(),
                "-DGRASPPANDA_CUDA_REVISION=\"" + recipe.revision + "\"", "-o", output.string()});
  for (const std::string& source : recipe.sources) words.push_back((recipe.root / source).string());
  return words;
}

}  // namespace grasppanda::app
