// `grasppanda ops run`: one operator on stored arrays.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/operator_arrays.h"
#include "app/commands/operator_cases.h"
#include "app/commands/stopwatch.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/config/suggest.h"
#include "lib/io/format_error.h"
#include "lib/ops/backend.h"
#include "lib/ops/errors.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

// --backend over GRASPPANDA_OPS over auto.
ops::BackendChoice backend_choice(const Invocation& invocation) {
  if (invocation.has("--backend"))
    return ops::all_backends(
        ops::parse_backend(invocation.value("--backend")).value_or(ops::Backend::automatic));
  return backends_of_environment(invocation);
}

// The values of --param, by name.
ops::OperatorCall::Values typed_parameters(const Invocation& invocation,
                                           const ops::OperatorDescription& description) {
  ops::OperatorCall::Values values;
  std::vector<std::string_view> known;
  for (const auto& parameter : description.parameters) known.push_back(parameter.name);
  for (const std::string& text : invocation.all("--param")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError("ops run: --param wants NAME=VALUE, got '" + text + "'");
    const std::string name = text.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string all;
      for (const std::string_view word : known)
        all.append(all.empty() ? "; it has " : ", ").append(word);
      const std::string meant = config::did_you_mean(name, known);
      throw UsageError("ops run: " + std::string(description.name) + " has no parameter '" + name +
                       "'" + (meant.empty() ? all : meant));
    }
    values[name] = text.substr(equals + 1);
  }
  return values;
}

struct Job {
  const ops::OperatorDescription& description;
  ops::OperatorCall::Values typed;
  at::Device device;
};

void run_archive(const Job& job, const fs::path& input, const fs::path& output) {
  ops::OperatorCall::Values values = job.typed;
  values.merge(ops::OperatorCall::Values(
      operator_values(io::NpzReader(input), job.description, job.device)));
  Stopwatch stopwatch;
  const ops::NamedTensors outputs = ops::run_operator(job.description.name, values);
  log_debug(input.string() + ": ran in " + std::to_string(stopwatch.lap()) + " s");
  NamedArrays arrays;
  append_outputs(arrays, job.description, outputs);
  io::write_npz(output, arrays);
}

// Where each input's outputs go: one input to the named file, several into the named folder.
std::map<fs::path, fs::path> output_paths(const std::vector<std::string>& arguments) {
  const fs::path out = arguments.back();
  const std::size_t inputs = arguments.size() - 2;
  const bool into_folder = inputs > 1 || fs::is_directory(out);
  std::map<fs::path, fs::path> outputs;
  std::map<fs::path, fs::path> taken;
  for (std::size_t i = 1; i <= inputs; ++i) {
    const fs::path input = arguments[i];
    const fs::path output = into_folder ? out / input.filename() : out;
    const auto [other, is_new] = taken.emplace(output, input);
    if (!is_new)
      throw UsageError("ops run: '" + other->second.string() + "' and '" + input.string() +
                       "' would both be written to '" + output.string() + "'");
    std::error_code unused;
    if (fs::equivalent(input, output, unused))
      throw UsageError("ops run: '" + input.string() + "' is input and output; choose another OUT");
    outputs[input] = output;
  }
  if (into_folder) run::make_folders(out);
  return outputs;
}

ExitCode run_one_operator(const Invocation& invocation, const at::Device& device) {
  const ops::OperatorDescription* description =
      ops::find_operator_description(invocation.arguments.front());
  if (description == nullptr)
    throw UsageError("ops run: unknown operator '" + invocation.arguments.front() + "'");
  const Job job{*description, typed_parameters(invocation, *description), device};
  const auto outputs = output_paths(invocation.arguments);
  std::size_t failed = 0;
  // Of several inputs a bad one does not stop the others. A backend that cannot run stops them all.
  const auto go_on = [&](const std::string& message) {
    if (outputs.size() == 1) throw;
    log_error(message);
    ++failed;
  };
  for (const auto& [input, output] : outputs) {
    try {
      run_archive(job, input, output);
    } catch (const io::FormatError& error) {
      go_on(error.what());
    } catch (const ops::ArgumentError& error) {
      go_on(input.string() + ": " + error.what());
    }
  }
  if (failed == 0) return ExitCode::done;
  return failed == outputs.size() ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

ExitCode run_all_cases(const Invocation& invocation, const at::Device& device) {
  const CaseResults results = run_cases(invocation.value("--cases"), device);
  io::write_npz(invocation.arguments.front(), results.arrays);
  for (const std::string& line : results.not_run) log_error(line);
  log_info(
      std::to_string(results.cases) + " cases, " + std::to_string(results.refused) +
      " refused by their operator" +
      (results.not_run.empty() ? "" : ", " + std::to_string(results.not_run.size()) + " not run"));
  return results.not_run.empty() ? ExitCode::done : ExitCode::some_inputs_failed;
}

}  // namespace

ExitCode run_ops_run(const Invocation& invocation) {
  const at::Device device(settle_device(invocation.value("--device", "auto")));
  set_threads(std::stoll(invocation.value("--threads", "0")));
  const ops::ScopedBackends backends(backend_choice(invocation));
  return invocation.has("--cases") ? run_all_cases(invocation, device)
                                   : run_one_operator(invocation, device);
}

}  // namespace grasppanda::app
