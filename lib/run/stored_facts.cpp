// env.json of a run, read back.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lib/io/format_error.h"
#include "lib/run/environment.h"

namespace grasppanda::run {

RunFacts read_run_facts(const std::filesystem::path& run) {
  const std::filesystem::path file = run / "env.json";
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    const auto json = nlohmann::ordered_json::parse(text);
    RunFacts facts;
    json.at("command_line").get_to(facts.command_line);
    json.at("seed").get_to(facts.seed);
    json.at("threads").get_to(facts.threads);
    json.at("device").get_to(facts.device);
    if (const auto& checkpoint = json.at("checkpoint"); !checkpoint.is_null()) {
      facts.checkpoint = stamp_from_json(checkpoint);
    }
    if (json.contains("model")) {
      for (const auto& [name, value] : json.at("model").items()) {
        facts.model.emplace_back(name, value.get<std::string>());
      }
    }
    if (const auto& seconds = json.at("wall_seconds"); !seconds.is_null()) {
      facts.wall_seconds = seconds.get<double>();
    }
    if (const auto& bytes = json.at("peak_memory_bytes"); !bytes.is_null()) {
      facts.peak_memory = bytes.get<std::uint64_t>();
    }
    return facts;
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(file.string() + ": is missing, damaged or not of a run");
  }
}

}  // namespace grasppanda::run
