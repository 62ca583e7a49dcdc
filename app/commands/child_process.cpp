#include "app/commands/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/environment_variables.h"

namespace grasppanda::app {

namespace {

constexpr std::size_t kMostOutput = 64 * 1024;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (text.size() < kMostOutput) text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, const std::filesystem::path& log) {
  std::array<int, 2> ends{-1, -1};
  const bool to_log = !log.empty();
  if (to_log)
    ends[1] = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  else if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    ends = {-1, -1};
  if (ends[1] < 0) return {127, std::strerror(errno)};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> arguments = words, environment = whole_environment();
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, arguments.front().c_str(), &actions, nullptr,
                                    pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ChildResult result;
  if (failed == 0 && !to_log) result.output = read_all(ends[0]);
  if (ends[0] >= 0) ::close(ends[0]);
  if (failed != 0) return {127, std::strerror(failed)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace grasppanda::app
