#include "tests/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

/// A pseudo-terminal: what is written to the second end is read from the first.
Pipe make_terminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
    throw std::runtime_error("no pseudo-terminal");
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) throw std::runtime_error("no pseudo-terminal");
  return {master, slave};
}

[[noreturn]] void become(const std::filesystem::path& program, std::vector<std::string> words,
                         const std::filesystem::path& folder, std::vector<std::string> environment,
                         int in, int out, int err) {
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& entry : environment) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  if (chdir(folder.c_str()) == 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
    execve(program.c_str(), argv.data(), envp.data());
  _exit(127);
}

/// Reads both ends until they close or the time is up; false: time was up.
bool drain(int out, int err, Finished& finished, std::chrono::steady_clock::time_point deadline) {
  std::array<pollfd, 2> ends = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::string* texts[] = {&finished.out, &finished.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    poll(ends.data(), ends.size(), static_cast<int>(left.count()));
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(ends[i].fd, buffer, sizeof buffer);
      if (count > 0)
        texts[i]->append(buffer, static_cast<std::size_t>(count));
      else
        ends[i].fd = -1;  // closed; a terminal says so with an error
    }
  }
  return true;
}

Finished run(const std::filesystem::path& program, const std::vector<std::string>& words,
             const ProgramSettings& settings, const std::string& program_variable) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = settings.folder.empty() ? scratch.path() : settings.folder;
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  if (!program_variable.empty()) environment.push_back("GRASPPANDA=" + program_variable);
  for (const auto& [name, value] : settings.environment) environment.push_back(name + "=" + value);

  const ScratchFolder input_folder;
  const auto input_file = input_folder.file("input", settings.input);
  const int in = open(input_file.c_str(), O_RDONLY | O_CLOEXEC);
  const Pipe out = settings.terminal ? make_terminal() : make_pipe();
  const Pipe err = settings.terminal ? out : make_pipe();

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0)
    become(program, words, folder, std::move(environment), in, out.write_end, err.write_end);
  close(in);
  close(out.write_end);
  if (!settings.terminal) close(err.write_end);

  Finished finished;
  const auto deadline = std::chrono::steady_clock::now() + settings.limit;
  if (!drain(out.read_end, settings.terminal ? -1 : err.read_end, finished, deadline))
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(out.read_end);
  if (!settings.terminal) close(err.read_end);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return finished;
}

}  // namespace

std::filesystem::path built_program() {
  const char* given = std::getenv("GRASPPANDA_PROGRAM");
  if (given != nullptr && *given != '\0') return std::filesystem::absolute(given);
  return std::filesystem::path(GRASPPANDA_BUILD_DIR) / "grasppanda";
}

bool library_is_built() {
  return std::filesystem::exists(built_program().parent_path() / "libgrasppanda.so");
}

Finished run_program(const std::vector<std::string>& arguments, const ProgramSettings& settings) {
  const std::filesystem::path program =
      settings.program.empty() ? built_program() : settings.program;
  if (!std::filesystem::exists(program))
    throw std::runtime_error(program.string() + " is not built");
  std::vector<std::string> words = {"grasppanda"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(program, words, settings, "");
}

Finished run_shell(const std::string& command, const ProgramSettings& settings) {
  return run("/bin/bash", {"bash", "--norc", "-c", command}, settings, built_program().string());
}

}  // namespace grasppanda::tests
