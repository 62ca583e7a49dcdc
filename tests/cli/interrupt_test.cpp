// Ctrl-C and the progress line, each tried in a process of its own.
#include "app/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "app/terminal.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

struct Ended {
  int status = -1;
  std::string err;
};

Ended in_own_process(const std::function<int()>& body) {
  const ScratchFolder folder;
  const auto file = folder.file("err", "");
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(file.c_str(), O_WRONLY), STDERR_FILENO);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ostringstream err;
  err << std::ifstream(file).rdbuf();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), err.str()};
}

}  // namespace

TEST_CASE("the first Ctrl-C sets a flag, the second ends with 130", "[cli]") {
  using app::handle_interrupts, app::interrupted, app::OnInterrupt;
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended once = in_own_process([&] {
      handle_interrupts(OnInterrupt::finish_input);
      if (interrupted()) return 1;
      raise(signal);
      return interrupted() ? 0 : 2;
    });
    CHECK(once.status == 0);
    CHECK(once.err == "\ngrasppanda: finishing the input at hand; once more stops at once\n");
    const Ended twice = in_own_process([&] {
      handle_interrupts(OnInterrupt::finish_input);
      raise(signal);
      raise(signal);
      return 0;
    });
    CHECK(twice.status == 130);
    const Ended at_once = in_own_process([&] {
      handle_interrupts(OnInterrupt::end_at_once);
      raise(signal);
      return 0;
    });
    CHECK(at_once.status == 130);
    CHECK(at_once.err == "");
  }
}

TEST_CASE("progress where there is no terminal: one plain line per tenth", "[cli]") {
  const auto lines = [](std::int64_t total, bool wanted) {
    return in_own_process([=] {
             app::Invocation invocation;
             invocation.progress = wanted;
             app::Progress progress(invocation, "infer", total);
             for (std::int64_t done = 1; done <= total; ++done)
               progress.update(done, "frame\033[1m");
             return 0;
           })
        .err;
  };
  std::string tenths;
  for (int i = 1; i <= 10; ++i)
    tenths += "infer " + std::to_string(100 * i) + "/1000 (" + std::to_string(10 * i) + " %)\n";
  CHECK(lines(1000, true) == tenths);
  CHECK(lines(2, true) == "infer 1/2 (50 %)\ninfer 2/2 (100 %)\n");
  CHECK(lines(0, true) == "");
  CHECK(lines(1000, false) == "");
}

}  // namespace grasppanda::tests
