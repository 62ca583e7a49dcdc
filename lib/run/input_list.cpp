#include "lib/run/input_list.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "lib/io/format_error.h"
#include "lib/io/sha256.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;
constexpr const char* kFile = "inputs.json";
constexpr const char* kSchema = "grasppanda.inputs/1";

}  // namespace

std::string whole_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(name).push_back('\0');
  return std::to_string(names.size()) + " inputs, SHA-256 of their names " +
         io::sha256_hex(std::as_bytes(std::span(text)));
}

void write_input_list(const RunDirectory& run, const InputList& list) {
  const auto dump = [](const ordered_json& json) {
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  std::string text = "{\n \"schema\": " + dump(kSchema) +
                     ",\n \"working_directory\": " + dump(list.working_directory.string()) +
                     ",\n \"options\": " + dump(list.options) +
                     (list.whole.empty() ? "" : ",\n \"part_of\": " + dump(list.whole)) +
                     ",\n \"inputs\": [";
  const char* separator = "\n  ";
  for (const ListedInput& input : list.inputs) {
    text += separator;
    text += dump({{"name", input.name},
                  {"source", input.source},
                  {"kind", input.kind},
                  {"view", input.view},
                  {"problem", input.problem}});
    separator = ",\n  ";
  }
  run.write(kFile, text + "\n ]\n}\n");
}

InputList read_input_list(const std::filesystem::path& run) {
  const std::filesystem::path file = run / kFile;
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    const ordered_json json = ordered_json::parse(text);
    if (json.at("schema") != kSchema) {
      throw io::FormatError(file.string() + ": schema is " + json.at("schema").dump() +
                            ", wanted \"" + kSchema + "\"");
    }
    InputList list;
    list.working_directory = json.at("working_directory").get<std::string>();
    json.at("options").get_to(list.options);
    list.whole = json.value("part_of", std::string());
    for (const ordered_json& entry : json.at("inputs")) {
      list.inputs.push_back({.name = entry.at("name").get<std::string>(),
                             .source = entry.at("source").get<std::string>(),
                             .kind = entry.at("kind").get<std::string>(),
                             .view = entry.at("view").get<std::string>(),
                             .problem = entry.at("problem").get<std::string>()});
    }
    return list;
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(file.string() +
                          ": is missing, damaged or no list of inputs; start a new run");
  }
}

}  // namespace grasppanda::run
