#include "app/commands/operator_cases.h"

#include <ATen/ATen.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "lib/io/format_error.h"
#include "lib/ops/errors.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::json;

// The arrays of all archives under their names, which are unique over the archives.
class CaseArrays {
 public:
  CaseArrays(const std::filesystem::path& folder, const Json& files) {
    for (const Json& file : files) readers_.emplace_back(folder / file.get<std::string>());
  }

  io::Array read(const std::string& name) const {
    for (const io::NpzReader& reader : readers_)
      if (reader.contains(name)) return reader.read(name);
    throw io::FormatError("cases.json: no archive of its 'files' holds the array '" + name + "'");
  }

 private:
  std::vector<io::NpzReader> readers_;
};

ops::OperatorCall::Value parameter_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_number_integer()) return at::scalar_tensor(value.get<std::int64_t>(), at::kLong);
  return at::scalar_tensor(value.get<double>(), at::kDouble);
}

struct Case {
  std::string id, op;
  ops::OperatorCall::Values values;
};

Case read_case(const Json& entry, const CaseArrays& arrays, const at::Device& device) {
  Case result{entry.at("id").get<std::string>(), entry.at("op").get<std::string>(), {}};
  for (const auto& [name, array] : entry.at("inputs").items())
    result.values[name] = operator_value(arrays.read(array.get<std::string>()), device);
  if (entry.contains("params"))
    for (const auto& [name, value] : entry.at("params").items())
      result.values[name] = parameter_value(value);
  return result;
}

io::Array text_array(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return io::make_array<std::uint8_t>({static_cast<std::int64_t>(text.size())},
                                      std::span(bytes, text.size()));
}

void run_case(Case one, CaseResults& results) {
  const ops::OperatorDescription* description = ops::find_operator_description(one.op);
  if (description == nullptr) {
    const std::string why = "there is no operator '" + one.op + "'";
    results.arrays.emplace_back(one.id + "/error", text_array(why));
    results.not_run.push_back(one.id + ": " + why);
    return;
  }
  try {
    const ops::NamedTensors outputs = ops::run_operator(one.op, std::move(one.values));
    append_outputs(results.arrays, *description, outputs, one.id + "/");
  } catch (const ops::ArgumentError& error) {
    ++results.refused;
    results.arrays.emplace_back(one.id + "/error", text_array(error.what()));
  }
}

}  // namespace

CaseResults run_cases(const std::filesystem::path& folder, const at::Device& device) {
  const std::filesystem::path list = folder / "cases.json";
  std::ifstream file(list);
  if (!file)
    throw io::FormatError(list.string() + ": cannot be read; wants a folder in the format of the " +
                          "golden cases, with cases.json and the archives that it names");
  CaseResults results;
  std::set<std::string> ids;
  try {
    const Json document = Json::parse(file);
    const CaseArrays arrays(folder, document.at("files"));
    for (const Json& entry : document.at("cases")) {
      Case one = read_case(entry, arrays, device);
      if (!ids.insert(one.id).second)
        throw io::FormatError(list.string() + ": two cases have the id '" + one.id + "'");
      ++results.cases;
      run_case(std::move(one), results);
    }
  } catch (const Json::exception& error) {
    throw io::FormatError(list.string() + ": is no list of cases: " + error.what());
  }
  return results;
}

}  // namespace grasppanda::app
