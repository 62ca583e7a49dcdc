// main of every test program. Exit status: 0 passed, 1 something failed, 77 every case that was run
// was skipped. Catch2 2 has no skipping, and the status of both versions may be a count of
// failures, so it is decided here.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.h"

namespace {

int cases = 0;
int skipped = 0;

#ifdef GRASPPANDA_CATCH2_V3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct CountSkipped : Listener {
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo&) override {
    grasppanda::tests::case_was_skipped() = false;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++cases;
    if (grasppanda::tests::case_was_skipped() && stats.totals.assertions.failed == 0) ++skipped;
  }
};
CATCH_REGISTER_LISTENER(CountSkipped)

}  // namespace

int main(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  if (cases > 0 && skipped == cases) return 77;
  return status == 0 ? 0 : 1;
}
