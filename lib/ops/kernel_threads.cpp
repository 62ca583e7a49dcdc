#include "lib/ops/kernel_threads.h"

#include <ATen/Parallel.h>
#include <pthread.h>

#include <atomic>

namespace grasppanda::ops {
namespace {

std::atomic<bool> forked{false};

// Registered when the library is loaded, before anyone can fork with it. LibTorch is told as well:
// what a kernel leaves to it, and the references as a whole, would open parallel regions, too.
const int registered = pthread_atfork(nullptr, nullptr, [] {
  forked = true;
  at::set_num_threads(1);
});

}  // namespace

int kernel_threads() {
  if (registered != 0 || forked || at::in_parallel_region()) return 1;
  return at::get_num_threads();
}

}  // namespace grasppanda::ops
