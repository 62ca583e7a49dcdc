// grasppanda_ops: checks and times the operators. The program of a GRASPPANDA_OPS_ONLY build, from
// LibTorch alone; what `grasppanda ops check` and `ops bench` do, without the rest.
#include <ATen/Version.h>
#include <torch/version.h>

#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/ops/backend.h"
#include "lib/ops/cpu_isa.h"
#include "lib/ops/cuda_devices.h"
#include "lib/ops/log.h"
#include "lib/ops/operator_bench.h"
#include "lib/ops/operator_check.h"

namespace grasppanda::app {
namespace {

constexpr const char* kUsage =
    R"(Check the operators against their references and time them.

Usage: grasppanda_ops [--device cpu|cuda] [--calls N] [--bench GLOB] [--pairs N]

  --device  where to run                                     [cuda, else cpu]
  --calls   random calls per kernel                                     [300]
  --bench   time the cases called like this; none: nothing            [none]
  --pairs   pairs of runs per case; 0: three, more where they are quick   [0]

Exit status: 0 all kernels agree; 1 one differs; 2 wrong usage; 4 no such
device, or no compiled kernel ran on it.
)";

struct Settings {
  std::string device = ops::cuda_device_count() > 0 ? "cuda" : "cpu";
  int64_t calls = 300;
  std::string bench;
  int pairs = 0;
};

Settings read_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " wants a value");
    const std::string &name = words[i], &value = words[i + 1];
    if (name == "--device" && (value == "cpu" || value == "cuda"))
      settings.device = value;
    else if (name == "--calls")
      settings.calls = std::stoll(value);
    else if (name == "--bench")
      settings.bench = value;
    else if (name == "--pairs")
      settings.pairs = std::stoi(value);
    else
      throw std::invalid_argument("cannot use '" + name + " " + value + "'");
  }
  return settings;
}

void describe(const Settings& settings) {
  const ops::BackendReport report = ops::backend_report();
  std::cout << "LibTorch " << TORCH_VERSION << ", CPU kernels: " << report.library.isa
            << "\nlibrary: " << report.library.path << "\n  " << report.library.detail << "\n";
  for (const ops::OperatorReport& entry : report.operators) {
    std::cout << "  " << entry.key;
    for (const auto& [device, backend] : entry.settled)
      std::cout << ", " << device << ": " << backend;
    for (const auto& [device, note] : entry.note)
      std::cout << " (" << device << ": " << note << ")";
    std::cout << "\n";
  }
  std::cout << "device: " << settings.device << std::endl;
}

/// 0, 1 or 4.
int check(const Settings& settings) {
  bool agrees = true, ran = true;
  ops::check_operators({.device = c10::Device(settings.device), .calls = settings.calls},
                       [&](const ops::OperatorCheck& done) {
                         std::cout << ops::check_line(done) << std::endl;
                         agrees = agrees && done.agrees();
                         ran = ran && done.any_ran();
                       });
  if (!agrees) return 1;
  return ran ? 0 : 4;
}

/// Whether all results were the same on both backends.
bool bench(const Settings& settings) {
  std::cout << ops::bench_header() << std::endl;
  bool same = true;
  for (const ops::BenchCase& entry : ops::operator_bench_cases()) {
    bool wanted = false;
    for (const std::string& row : entry.rows)
      wanted = wanted || ops::passes_filter(row, settings.bench);
    if (!wanted) continue;
    for (const ops::BenchResult& result :
         ops::run_bench_case(entry, c10::Device(settings.device), settings.pairs)) {
      std::cout << ops::bench_line(result) << std::endl;
      same = same && result.difference.empty();
    }
  }
  return same;
}

int run(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"--help"}) {
    std::cout << kUsage;
    return 0;
  }
  Settings settings;
  try {
    settings = read_settings(words);
  } catch (const std::exception& error) {
    std::cerr << "grasppanda_ops: error: " << error.what() << "; see --help\n";
    return 2;
  }
  if (settings.device == "cuda" && ops::cuda_device_count() == 0) {
    std::cerr << "grasppanda_ops: error: " << ops::why_no_cuda_device() << "\n";
    return 4;
  }
  ops::set_log_sink([](std::string_view line) { std::cerr << "warning: " << line << std::endl; });
  describe(settings);
  const int status = check(settings);
  if (status != 0 || settings.bench.empty()) return status;
  return bench(settings) ? 0 : 1;
}

}  // namespace
}  // namespace grasppanda::app

int main(int count, char** words) {
  try {
    return grasppanda::app::run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::cerr << "grasppanda_ops: error: " << error.what() << "\n";
    return 70;
  }
}
