#include "app/commands/cuda_toolkit.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "app/commands/child_process.h"
#include "lib/ops/errors.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

std::optional<CudaToolkit> ask(const fs::path& nvcc) {
  const ChildResult version = run_child({nvcc.string(), "--version"});
  static const std::regex release(R"(release ([0-9]+\.[0-9]+)(, (V[0-9.]+))?)");
  std::smatch match;
  if (version.status != 0 || !std::regex_search(version.output, match, release)) return {};
  CudaToolkit toolkit{nvcc, match[1], nvcc.string() + " " + match[0].str(), {}};
  const std::string codes = run_child({nvcc.string(), "--list-gpu-code"}).output;
  static const std::regex code("sm_([0-9]+)\\b");
  for (std::sregex_iterator i(codes.begin(), codes.end(), code); i != std::sregex_iterator(); ++i)
    toolkit.architectures.push_back(std::stoi((*i)[1]));
  std::ranges::sort(toolkit.architectures);
  if (toolkit.architectures.empty()) return {};
  return toolkit;
}

std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

}  // namespace

std::vector<CudaToolkit> find_cuda_toolkits(const std::map<std::string, std::string>& environment) {
  std::vector<fs::path> places;
  if (const auto home = environment.find("CUDA_HOME");
      home != environment.end() && !home->second.empty())
    places.push_back(fs::path(home->second) / "bin");
  if (const auto path = environment.find("PATH"); path != environment.end()) {
    std::istringstream list(path->second);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) places.emplace_back(folder);
  }
  std::error_code error;
  std::vector<fs::path> installed;
  for (const auto& entry : fs::directory_iterator("/usr/local", error))
    if (entry.path().filename().string().starts_with("cuda"))
      installed.push_back(entry.path() / "bin");
  std::ranges::sort(installed);  // "cuda", which the administrator chose, is the first
  places.insert(places.end(), installed.begin(), installed.end());

  std::vector<CudaToolkit> found;
  std::vector<fs::path> seen;
  for (const fs::path& place : places) {
    const fs::path nvcc = fs::canonical(place / "nvcc", error);
    if (error || std::ranges::find(seen, nvcc) != seen.end()) continue;
    seen.push_back(nvcc);
    if (std::optional<CudaToolkit> toolkit = ask(nvcc)) found.push_back(std::move(*toolkit));
  }
  return found;
}

const CudaToolkit& choose_cuda_toolkit(const std::vector<CudaToolkit>& found,
                                       const std::string& wanted) {
  if (found.empty())
    throw ops::BackendError(
        "no nvcc in CUDA_HOME, PATH or /usr/local/cuda*; install the CUDA toolkit, or name its "
        "folder in CUDA_HOME");
  if (wanted.empty()) return found.front();
  for (const CudaToolkit& toolkit : found)
    if (toolkit.version == wanted) return toolkit;
  for (const CudaToolkit& toolkit : found)
    if (major_of(toolkit.version) == major_of(wanted)) return toolkit;
  std::string all;
  for (const CudaToolkit& toolkit : found)
    all += (all.empty() ? "" : ", ") + toolkit.version + " (" + toolkit.nvcc.string() + ")";
  throw ops::BackendError("no nvcc fits LibTorch's CUDA " + wanted + ": found " + all +
                          "; install CUDA " + major_of(wanted) +
                          ", or name its folder in CUDA_HOME");
}

}  // namespace grasppanda::app
