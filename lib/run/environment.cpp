#include "lib/run/environment.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

constexpr std::size_t kTextIndent = 14, kTextWidth = 100;

// Long lists go on in the next line, below themselves; a long word stays whole.
std::string wrapped(std::string_view text) {
  std::string result;
  while (text.size() > kTextWidth - kTextIndent) {
    std::size_t end = text.rfind(' ', kTextWidth - kTextIndent);
    if (end == std::string_view::npos || end == 0) end = text.find(' ', 1);
    if (end == std::string_view::npos) break;
    result += std::string(text.substr(0, end)) + "\n" + std::string(kTextIndent, ' ');
    text.remove_prefix(end + 1);
  }
  return result + std::string(text);
}

ordered_json cuda_json(const CudaInfo& cuda) {
  ordered_json devices = ordered_json::array();
  for (const CudaDevice& device : cuda.devices) {
    devices.push_back({{"index", device.index},
                       {"name", device.name},
                       {"capability", device.capability},
                       {"memory", device.memory}});
  }
  return {{"driver", text_or_null(cuda.driver)},
          {"runtime", text_or_null(cuda.runtime)},
          {"devices", devices},
          {"note", text_or_null(cuda.note)}};
}

ordered_json ops_json(const ops::BackendReport& report) {
  ordered_json json = ordered_json::object();
  for (const ops::OperatorReport& entry : report.operators) {
    ordered_json& row = json[entry.key];
    row["requested"] = entry.requested;
    for (const auto& [device, backend] : entry.settled) row[device] = backend;
    if (!entry.note.empty()) row["note"] = entry.note;
  }
  json["library"] = {{"path", text_or_null(report.library.path)},
                     {"cuda", report.library.cuda},
                     {"isa", text_or_null(report.library.isa)},
                     {"detail", text_or_null(report.library.detail)}};
  return json;
}

ordered_json build_json(const BuildInfo& build) {
  return {{"compiler", build.compiler},
          {"type", build.build_type},
          {"flags", build.flags},
          {"cuda_architectures", split(build.cuda_architectures, ';')}};
}

}  // namespace

ordered_json environment_json(const Environment& environment,
                              const std::optional<RunFacts>& facts) {
  const BuildInfo& build = environment.build;
  ordered_json json = {{"schema", "grasppanda.env/1"},
                       {"version", build.version},
                       {"commit", build.commit},
                       {"build", build_json(build)},
                       {"libtorch",
                        {{"version", environment.libtorch_version},
                         {"built_against", build.libtorch_version},
                         {"abi", "cxx11=" + build.cxx11_abi},
                         {"cuda", environment.libtorch_cuda}}},
                       {"libraries", ordered_json::object()},
                       {"cpu",
                        {{"model", environment.cpu.model},
                         {"cores", environment.cpu.cores},
                         {"instruction_sets_seen", environment.cpu.instruction_sets},
                         {"instruction_sets_used",
                          {{"operators", text_or_null(environment.ops.library.isa)},
                           {"libtorch", text_or_null(environment.libtorch_isa)}}}}},
                       {"cuda", cuda_json(environment.cuda)},
                       {"ops", ops_json(environment.ops)}};
  for (const auto& [name, version] : environment.libraries) json["libraries"][name] = version;
  if (!facts) return json;
  json["command_line"] = facts->command_line;
  json["seed"] = facts->seed;
  json["threads"] = facts->threads;
  json["device"] = facts->device;
  json["checkpoint"] = facts->checkpoint ? to_json(*facts->checkpoint) : ordered_json(nullptr);
  if (!facts->model.empty()) {
    json["model"] = ordered_json::object();
    for (const auto& [name, value] : facts->model) json["model"][name] = value;
  }
  json["wall_seconds"] =
      facts->wall_seconds ? ordered_json(*facts->wall_seconds) : ordered_json(nullptr);
  json["peak_memory_bytes"] =
      facts->peak_memory ? ordered_json(*facts->peak_memory) : ordered_json(nullptr);
  return json;
}

std::string environment_text(const Environment& environment) {
  const BuildInfo& build = environment.build;
  std::ostringstream text;
  const auto row = [&text](std::string_view name, std::string_view value) {
    text << name << std::string(name.size() < kTextIndent ? kTextIndent - name.size() : 1, ' ')
         << wrapped(value) << "\n";
  };
  row("grasppanda", build.version + " (" + build.commit + ")");
  row("build", build.compiler + ", " + build.build_type + ", CUDA architectures: " +
                   (build.cuda_architectures.empty() ? "none" : build.cuda_architectures));
  row("flags", build.flags);
  row("LibTorch", environment.libtorch_version + ", cxx11 ABI " + build.cxx11_abi + ", " +
                      (environment.libtorch_cuda ? "with CUDA" : "CPU only") +
                      ", own kernels: " + environment.libtorch_isa);
  std::vector<std::string> libraries;
  for (const auto& [name, version] : environment.libraries) {
    libraries.push_back(name + " " + version);
  }
  row("libraries", join(libraries, ", "));
  row("processor", environment.cpu.model + ", " + std::to_string(environment.cpu.cores) +
                       (environment.cpu.cores == 1 ? " core" : " cores"));
  row("", "sees " + join(environment.cpu.instruction_sets, " "));
  const std::string& isa = environment.ops.library.isa;
  row("", "operators use " + (isa.empty() || isa == "none" ? "no compiled kernels" : isa));
  const CudaInfo& cuda = environment.cuda;
  row("CUDA", cuda.driver.empty() ? cuda.note
                                  : "driver " + cuda.driver + ", runtime " +
                                        (cuda.runtime.empty() ? "not loaded" : cuda.runtime) +
                                        (cuda.note.empty() ? "" : "; " + cuda.note));
  for (const CudaDevice& device : cuda.devices) {
    row("", "cuda:" + std::to_string(device.index) + "  " + device.name + ", capability " +
                device.capability + ", " + std::to_string(device.memory >> 20) + " MiB");
  }
  row("operators", environment.ops.library.detail);
  for (const ops::OperatorReport& entry : environment.ops.operators) {
    std::string line = entry.key +
                       std::string(entry.key.size() < 16 ? 16 - entry.key.size() : 1, ' ') +
                       "asked " + entry.requested;
    for (const auto& [device, backend] : entry.settled) line += ", " + device + ": " + backend;
    row("", line);
    for (const auto& [device, note] : entry.note) row("", "  " + device + ": " + note);
  }
  return text.str();
}

}  // namespace grasppanda::run
