#include "app/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "app/exit_code.h"

namespace grasppanda::app {

namespace {

volatile sig_atomic_t g_interrupted = 0;
volatile sig_atomic_t g_finish_input = 0;

extern "C" void on_interrupt(int) {
  if (g_finish_input == 0 || g_interrupted != 0) _exit(static_cast<int>(ExitCode::interrupted));
  g_interrupted = 1;
  constexpr char kSay[] = "\ngrasppanda: finishing the input at hand; once more stops at once\n";
  if (write(STDERR_FILENO, kSay, sizeof kSay - 1) < 0) return;  // nobody listens; go on finishing
}

}  // namespace

void handle_interrupts(OnInterrupt what) {
  g_finish_input = what == OnInterrupt::finish_input ? 1 : 0;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return g_interrupted != 0;
}

}  // namespace grasppanda::app
