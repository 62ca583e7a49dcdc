// Runs the real program in an empty folder with a clean environment.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace grasppanda::tests {

struct Finished {
  int status = -1;       // exit status; 1000 + signal when it was killed
  std::string out, err;  // on a terminal both streams are in `out`
};

struct ProgramSettings {
  std::filesystem::path program{};                   // default: the one that was built
  std::filesystem::path folder{};                    // working directory; default: an empty one
  std::map<std::string, std::string> environment{};  // besides PATH
  std::string input{};                               // standard input
  bool terminal = false;                             // stdout and stderr are a terminal
  std::chrono::seconds limit{60};                    // killed when it takes longer
};

/// The program of this build: GRASPPANDA_PROGRAM in the environment, else the build folder's.
std::filesystem::path built_program();
/// Is libgrasppanda.so beside it, for the commands that need it?
bool library_is_built();

Finished run_program(const std::vector<std::string>& arguments,
                     const ProgramSettings& settings = {});

/// A shell command line in which "$GRASPPANDA" is the program.
Finished run_shell(const std::string& command, const ProgramSettings& settings = {});

}  // namespace grasppanda::tests
