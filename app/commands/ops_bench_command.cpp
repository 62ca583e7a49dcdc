// `grasppanda ops bench`: reference and compiled kernels back to back.
#include <ATen/Parallel.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/gather_environment.h"
#include "app/commands/model_bench.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/io/atomic_file.h"
#include "lib/ops/operator_bench.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

/// The cases of which some row passes the filter.
std::vector<ops::BenchCase> chosen_cases(bool models, const std::string& filter) {
  std::vector<ops::BenchCase> cases = ops::operator_bench_cases();
  if (models) std::ranges::move(model_bench_cases(), std::back_inserter(cases));
  std::vector<ops::BenchCase> chosen;
  for (ops::BenchCase& candidate : cases)
    if (std::ranges::any_of(candidate.rows,
                            [&](const auto& row) { return ops::passes_filter(row, filter); }))
      chosen.push_back(std::move(candidate));
  if (chosen.empty())
    throw UsageError("ops bench: no case is called like '" + filter + "'; there are " +
                     cases.front().rows.front() + " ... " + cases.back().rows.back() +
                     (models ? "" : ", and the models with --models"));
  return chosen;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Json times_json(const std::optional<ops::BenchTimes>& times) {
  if (!times) return nullptr;
  return {{"min", times->minimum}, {"median", times->median}};
}

Json result_json(const ops::BenchResult& result, const std::string& device) {
  Json json = {{"case", result.row},
               {"device", device},
               {"reference_ms", times_json(result.reference)},
               {"compiled_ms", times_json(result.compiled)},
               {"ratio", result.ratio ? Json(*result.ratio) : Json(nullptr)},
               {"pairs", result.pairs}};
  if (result.operations > 0) {
    const auto reference = gigaflops(result, result.reference);
    const auto compiled = gigaflops(result, result.compiled);
    json["gflops"] = {{"reference", reference ? Json(*reference) : Json(nullptr)},
                      {"compiled", compiled ? Json(*compiled) : Json(nullptr)}};
  }
  if (!result.note.empty()) json["note"] = result.note;
  if (!result.difference.empty()) json["difference"] = result.difference;
  return json;
}

/// What the figures depend on.
Json heading_json(const run::Environment& environment, const std::string& device, int threads) {
  Json machine = {{"cpu", environment.cpu.model},
                  {"cores", environment.cpu.cores},
                  {"isa", environment.ops.library.isa},
                  {"libtorch_isa", environment.libtorch_isa}};
  if (device != "cpu")
    for (const run::CudaDevice& gpu : environment.cuda.devices) machine["gpus"].push_back(gpu.name);
  return {{"schema", "grasppanda.bench/1"},
          {"date", now_text()},
          {"machine", std::move(machine)},
          {"versions",
           {{"grasppanda", environment.build.version},
            {"commit", environment.build.commit},
            {"compiler", environment.build.compiler},
            {"libtorch", environment.libtorch_version}}},
          {"device", device},
          {"threads", threads}};
}

std::string heading_text(const Json& heading) {
  const Json& machine = heading["machine"];
  const Json& versions = heading["versions"];
  std::string text = "grasppanda " + versions["grasppanda"].get<std::string>() + " (" +
                     versions["commit"].get<std::string>() + "), LibTorch " +
                     versions["libtorch"].get<std::string>() + ", " +
                     versions["compiler"].get<std::string>() + "\n";
  text += machine["cpu"].get<std::string>() + ", " + std::to_string(machine["cores"].get<int>()) +
          " cores, " + machine["isa"].get<std::string>() + "; device " +
          heading["device"].get<std::string>() + ", " +
          std::to_string(heading["threads"].get<int>()) + " threads, " +
          heading["date"].get<std::string>() + "\n";
  return text;
}

}  // namespace

ExitCode run_ops_bench(const Invocation& invocation) {
  const std::string device = settle_device(invocation.value("--device", "auto"));
  const int threads = set_threads(std::stoll(invocation.value("--threads", "0")));
  const int pairs = static_cast<int>(
      std::min<std::int64_t>(std::stoll(invocation.value("--runs", "0")), 1000000));
  const std::string filter = invocation.value("--filter");
  const auto cases = chosen_cases(invocation.has("--models"), filter);
  // A file that cannot be written is said before minutes of work, not after them.
  std::optional<io::AtomicFile> file;
  if (invocation.has("--json")) file.emplace(invocation.value("--json"));

  Json whole = heading_json(gather_environment(), device, threads);
  std::cout << heading_text(whole) << ops::bench_header() << std::endl;
  whole["cases"] = Json::array();
  std::size_t differing = 0;
  for (const ops::BenchCase& bench_case : cases) {
    for (const ops::BenchResult& result :
         ops::run_bench_case(bench_case, at::Device(device), pairs)) {
      if (!ops::passes_filter(result.row, filter)) continue;
      std::cout << ops::bench_line(result) << std::endl;
      whole["cases"].push_back(result_json(result, device));
      if (result.difference.empty()) continue;
      ++differing;
      log_error(result.row + ": the compiled result differs: " + result.difference);
    }
  }
  whole["peak_memory"] = run::peak_memory();
  if (file) {
    file->write(whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    file->commit();
  }
  return differing == 0 ? ExitCode::done : ExitCode::some_inputs_failed;
}

}  // namespace grasppanda::app
