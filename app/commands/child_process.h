// Other programs, run and waited for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace grasppanda::app {

struct ChildResult {
  /// Exit status; 128 + signal where it was killed, 127 where it could not be started.
  int status = -1;
  std::string output;  // standard output and error together
};

/// Runs a program with this process's environment. Its output goes to `log`, appended, or, where
/// that is empty, into the result (at most 64 KiB of it).
ChildResult run_child(const std::vector<std::string>& words, const std::filesystem::path& log = {});

}  // namespace grasppanda::app
