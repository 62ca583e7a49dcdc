// The same work on every item of a list, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace grasppanda::eval {

/// Threads that stay for several lists, one after the other: starting them takes as long as a short
/// list. The caller's thread works, too.
class Workers {
 public:
  /// Makes a thread that runs `body`; may throw.
  using StartThread = std::function<std::jthread(std::function<void()> body)>;
  static std::jthread start_thread(std::function<void()> body);

  /// With fewer threads than `threads` where the system gives no more; the caller's is there
  /// always.
  explicit Workers(int threads, const StartThread& start = start_thread);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(i) for every i below `count`; items are taken in order by whichever thread is free.
  /// After the first exception no further item is begun; of several the one of the lowest item is
  /// thrown, whatever the timing of those that were begun.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_items();

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // of the two below
  std::exception_ptr error_;
  std::size_t error_at_ = 0;
  std::atomic<std::uint32_t> list_ = 0;  // number of the list at hand
  std::atomic<std::uint32_t> busy_ =
      0;  // threads, besides the caller's, that are not through with it
  std::atomic<bool> end_ = false;
  std::vector<std::jthread> threads_;  // last: they use the others
};

/// One list.
void for_each_item(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace grasppanda::eval
