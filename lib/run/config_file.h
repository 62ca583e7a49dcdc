// config.yaml of a run: the resolved configuration under the command line that made it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace grasppanda::run {

/// `yaml` under comment lines with the command line; the whole is YAML again whatever the arguments
/// hold.
std::string config_file_text(std::string_view yaml, std::span<const std::string> command_line);

/// The arguments as a POSIX shell (and bash, for control characters) takes them: quoted only where
/// needed.
std::string shell_text(std::span<const std::string> command_line);

}  // namespace grasppanda::run
