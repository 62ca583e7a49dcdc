#include "app/config_command.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const config::Value& value) {
  if (value.is_word) return value.text;
  if (value.is_fields) {
    Json map = Json::object();
    for (std::size_t i = 0; i < value.numbers.size(); ++i)
      map[std::string(value.key->fields[i])] = value.numbers[i];
    return map;
  }
  switch (value.type) {
    case config::Type::boolean:
      return value.boolean;
    case config::Type::integer:
      return value.integer;
    case config::Type::number:
      return value.number;
    case config::Type::numbers:
      return value.numbers;
    case config::Type::texts:
      return value.texts;
    default:
      return value.text;
  }
}

void print_json(const Invocation& invocation, Json values) {
  Json answer = {{"schema", "grasppanda.config/1"},
                 {"ok", true},
                 {"file", invocation.config->source.string()}};
  if (!values.is_null()) answer["values"] = std::move(values);
  std::cout << answer.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace

ExitCode run_config_show(const Invocation& invocation) {
  const config::Config& config = *invocation.config;
  if (!invocation.has("--json")) {
    std::cout << config.to_yaml(true);
    return ExitCode::done;
  }
  Json values = Json::array();
  for (const std::string& path : config.order) {
    const config::Value& value = config.value(path);
    Json shown = to_json(value);
    if (value.type == config::Type::path && !value.is_word && !value.is_fields)
      shown = std::filesystem::absolute(config.file(path)).lexically_normal().string();
    values.push_back({{"key", path}, {"value", std::move(shown)}, {"origin", value.origin}});
  }
  print_json(invocation, std::move(values));
  return ExitCode::done;
}

ExitCode run_config_validate(const Invocation& invocation) {
  if (invocation.has("--json"))
    print_json(invocation, nullptr);
  else
    std::cout << invocation.config->source.string() << ": ok\n";
  return ExitCode::done;
}

}  // namespace grasppanda::app
