// The bodies of the commands, inside libgrasppanda.so. Each returns its exit status; errors are
// typed exceptions, mapped in one place (app/report_error.h).
#pragma once

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

ExitCode run_infer(const Invocation& invocation);
ExitCode run_test(const Invocation& invocation);
ExitCode run_merge(const Invocation& invocation);
ExitCode run_render(const Invocation& invocation);
ExitCode run_dota_split(const Invocation& invocation);
ExitCode run_dota_merge(const Invocation& invocation);
ExitCode run_env(const Invocation& invocation);
ExitCode run_ops_build(const Invocation& invocation);
ExitCode run_ops_run(const Invocation& invocation);
ExitCode run_ops_bench(const Invocation& invocation);
ExitCode run_ops_check(const Invocation& invocation);
ExitCode run_ops_iou_error(const Invocation& invocation);
ExitCode run_checkpoint_inspect(const Invocation& invocation);
ExitCode run_checkpoint_convert(const Invocation& invocation);

}  // namespace grasppanda::app
