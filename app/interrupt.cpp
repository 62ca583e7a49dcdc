#include "app/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "app/exit_code.h"

namespace grasppanda::app {

namespace {

// Set by the handler, read from several threads.
std::atomic<bool> g_interrupted = false;
std::atomic<bool> g_finish_input = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  if (!g_finish_input || g_interrupted) _exit(static_cast<int>(ExitCode::interrupted));
  g_interrupted = true;
  constexpr char kSay[] = "\ngrasppanda: finishing the input at hand; once more stops at once\n";
  if (write(STDERR_FILENO, kSay, sizeof kSay - 1) < 0) return;  // nobody listens; go on finishing
}

}  // namespace

void handle_interrupts(OnInterrupt what) {
  g_finish_input = what == OnInterrupt::finish_input;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return g_interrupted;
}

}  // namespace grasppanda::app
