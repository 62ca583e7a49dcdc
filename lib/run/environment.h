// What stands in env.json and what `grasppanda env` prints: versions, processor, devices, backends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lib/ops/backend.h"
#include "lib/run/build_info.h"
#include "lib/run/cpu_info.h"
#include "lib/run/cuda_info.h"
#include "lib/run/file_stamp.h"

namespace grasppanda::run {

struct Environment {
  BuildInfo build;
  std::string libtorch_version;                                // of the library that is loaded
  bool libtorch_cuda = false;                                  // it can use CUDA devices
  std::vector<std::pair<std::string, std::string>> libraries;  // name -> version
  CpuInfo cpu;
  std::string libtorch_isa;  // instruction set that LibTorch's own kernels settled on
  CudaInfo cuda;
  ops::BackendReport ops;
};

/// What a model says about itself: family, scale, branch, licence of the weights, ...
using ModelFacts = std::vector<std::pair<std::string, std::string>>;

/// What only a run knows.
struct RunFacts {
  std::vector<std::string> command_line;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device;                   // "cpu", "cuda:0"
  std::optional<FileStamp> checkpoint;  // absolute path
  ModelFacts model{};
  std::optional<double> wall_seconds;        // known at the end
  std::optional<std::uint64_t> peak_memory;  // bytes, likewise
};

/// {"schema": "grasppanda.env/1", "version", "commit", "build", "libtorch", "libraries", "cpu",
/// "cuda", "ops"} and, with `facts`, what belongs to the run.
nlohmann::ordered_json environment_json(const Environment& environment,
                                        const std::optional<RunFacts>& facts = std::nullopt);
/// The same for a person: lines of at most 100 columns where the values allow.
std::string environment_text(const Environment& environment);

/// What env.json of `run` says of it. Throws io::FormatError.
RunFacts read_run_facts(const std::filesystem::path& run);

/// Largest resident memory of this process so far, bytes.
std::uint64_t peak_memory();
/// Seconds since this process was started, loading included; of clock-tick precision (10 ms).
double process_age();

}  // namespace grasppanda::run
