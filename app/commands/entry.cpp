// The door of libgrasppanda.so. Exceptions and LibTorch stay inside.
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/command.h"
#include "app/commands/commands.h"
#include "app/commands/cuda_module_build.h"
#include "app/interrupt.h"
#include "app/library.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/ops/log.h"

namespace grasppanda::app {

namespace {

struct Body {
  std::string_view command;
  ExitCode (*run)(const Invocation&);
};

constexpr Body kBodies[] = {{"infer", run_infer},
                            {"test", run_test},
                            {"merge", run_merge},
                            {"render", run_render},
                            {"dota split", run_dota_split},
                            {"dota merge", run_dota_merge},
                            {"env", run_env},
                            {"ops build", run_ops_build},
                            {"ops run", run_ops_run},
                            {"ops bench", run_ops_bench},
                            {"ops check", run_ops_check},
                            {"ops iou-error", run_ops_iou_error},
                            {"checkpoint inspect", run_checkpoint_inspect},
                            {"checkpoint convert", run_checkpoint_convert}};

ExitCode run(const Invocation& invocation) {
  for (const Body& body : kBodies)
    if (body.command == invocation.command) return body.run(invocation);
  throw std::logic_error("no body for the command '" + invocation.command + "'");
}

}  // namespace

}  // namespace grasppanda::app

extern "C" __attribute__((visibility("default"))) const char* grasppanda_build() {
  static const std::string name = grasppanda::app::build_name();
  return name.c_str();
}

extern "C" __attribute__((visibility("default"))) int grasppanda_run(
    const grasppanda::app::Invocation& invocation) noexcept {
  using namespace grasppanda::app;
  ExitCode status = ExitCode::internal;
  try {
    // The library has its own copy of the log and of the interrupt flag.
    start_log(invocation.verbosity, invocation.color);
    grasppanda::ops::set_log_sink([](std::string_view line) { log_warning(line); });
    const bool keeps_a_run = invocation.command == "infer" || invocation.command == "merge" ||
                             invocation.command == "render" ||
                             (invocation.command == "test" && !invocation.has("--compare"));
    handle_interrupts(keeps_a_run ? OnInterrupt::finish_input : OnInterrupt::end_at_once);
    if (invocation.has("--log-file")) add_log_file(invocation.value("--log-file"));
    for (const std::string& warning : invocation.config_warnings) log_warning(warning);
    set_up_cuda_module(invocation);
    status = run(invocation);
  } catch (...) {
    const CommandRecord* command = find_command(invocation.command);
    const bool json =
        command != nullptr && !command->json_schema.empty() && invocation.has("--json");
    const std::string file = invocation.arguments.empty() ? "" : invocation.arguments.front();
    status = report_error(std::current_exception(), json ? command->json_schema : "", file);
  }
  say_repeated_warnings();
  close_log_files();
  std::cout.flush();
  return static_cast<int>(status);
}
