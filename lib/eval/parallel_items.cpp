#include "lib/eval/parallel_items.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace grasppanda::eval {

void for_each_item(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_at = count;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count && !stop; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        stop = true;
        if (i < error_at) {
          error_at = i;
          error = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t t = 1; t < wanted; ++t) workers.emplace_back(loop);
    loop();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace grasppanda::eval
