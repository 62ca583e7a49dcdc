// `grasppanda ops check`: every kernel against the reference.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/log.h"
#include "lib/ops/operator_check.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

Json check_json(const ops::OperatorCheck& check) {
  Json kernels = Json::array();
  for (const ops::KernelCheck& kernel : check.kernels) {
    Json entry = {{"kernel", kernel.kernel}, {"ran", kernel.missing.empty()}};
    if (!kernel.missing.empty()) entry["missing"] = kernel.missing;
    entry["calls"] = kernel.calls;
    entry["agrees"] = kernel.difference.empty();
    if (!kernel.difference.empty()) entry["difference"] = kernel.difference;
    kernels.push_back(std::move(entry));
  }
  return {{"operator", check.name},
          {"agrees", check.agrees()},
          {"seconds", check.seconds},
          {"settings", check.settings},
          {"kernels", std::move(kernels)}};
}

}  // namespace

ExitCode run_ops_check(const Invocation& invocation) {
  const std::string device = settle_device(invocation.value("--device", "auto"));
  ops::CheckSettings settings{.device = at::Device(device)};
  settings.calls = std::stoll(invocation.value("--runs", "300"));
  settings.seed = std::stoull(invocation.value("--seed", "1"));
  const bool json = invocation.has("--json");
  bool agrees = true, any_ran = false;
  Json operators = Json::array();
  ops::check_operators(settings, [&](const ops::OperatorCheck& check) {
    agrees = agrees && check.agrees();
    any_ran = any_ran || check.any_ran();
    if (json)
      operators.push_back(check_json(check));
    else
      std::cout << ops::check_line(check) << std::endl;
    if (!check.agrees()) log_error(ops::check_line(check));
    if (!check.any_ran())
      log_warning(std::string(check.name) + ": nothing was compared on " + device);
  });
  if (json) {
    const Json whole = {{"schema", "grasppanda.check/1"},
                        {"ok", agrees},
                        {"device", device},
                        {"calls", settings.calls},
                        {"seed", settings.seed},
                        {"operators", std::move(operators)}};
    std::cout << whole.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  }
  if (!any_ran) return ExitCode::not_available;
  return agrees ? ExitCode::done : ExitCode::some_inputs_failed;
}

}  // namespace grasppanda::app
