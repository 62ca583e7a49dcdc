// `docs`, for the developers' scripts: pages that are generated from the lists.
#pragma once

#include <string>

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

std::string cli_page();
std::string config_page();
ExitCode run_docs(const Invocation& invocation);

}  // namespace grasppanda::app
