#include "lib/run/cpu_info.h"

#include <sched.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>

namespace grasppanda::run {

namespace {

// Linux's names and those that compilers and LibTorch use; the ones that kernels care about.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kFlags = {{
    {"sse2", "sse2"},
    {"sse4_1", "sse4.1"},
    {"sse4_2", "sse4.2"},
    {"avx", "avx"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"avx2", "avx2"},
    {"bmi2", "bmi2"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512_vnni", "avx512_vnni"},
    {"avx512_bf16", "avx512_bf16"},
    {"amx_tile", "amx"},
    {"asimd", "neon"},
    {"sve", "sve"},
}};

std::string value_of(const std::string& line) {
  const std::size_t colon = line.find(':');
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
  return colon == std::string::npos || begin == std::string::npos ? std::string()
                                                                  : line.substr(begin);
}

}  // namespace

int available_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof(mask), &mask) == 0) return CPU_COUNT(&mask);
  const unsigned int all = std::thread::hardware_concurrency();  // more than 1024 cores
  return all == 0 ? 1 : static_cast<int>(all);
}

CpuInfo cpu_info() {
  CpuInfo info{.model = "unknown", .cores = available_cores(), .instruction_sets = {}};
  std::unordered_set<std::string> flags;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {  // the first processor
    if (line.starts_with("model name")) info.model = value_of(line);
    if (line.starts_with("flags") || line.starts_with("Features")) {
      std::istringstream words(value_of(line));
      for (std::string word; words >> word;) flags.insert(word);
    }
  }
  for (const auto& [flag, name] : kFlags) {
    if (flags.contains(std::string(flag))) info.instruction_sets.emplace_back(name);
  }
  return info;
}

}  // namespace grasppanda::run
