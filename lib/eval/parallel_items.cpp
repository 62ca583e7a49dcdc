#include "lib/eval/parallel_items.h"

#include <algorithm>
#include <utility>

namespace grasppanda::eval {
namespace {

// Until `value` is no longer `old`. The wait is mostly short, and waking up takes as long as a list
// of a view: first a look now and then, while others may have the processor, a tenth of a
// millisecond in all.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kLooks = 300;
  for (int i = 0; i < kLooks; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old);
}

}  // namespace

std::jthread Workers::start_thread(std::function<void()> body) {
  return std::jthread(std::move(body));
}

Workers::Workers(int threads, const StartThread& start) {
  if (threads < 2) return;
  threads_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) threads_.push_back(start([this] { serve(); }));
  } catch (const std::exception&) {
    // A limit of processes or memory: those that were made share the work with the caller's. (Were
    // this thrown, the destructor, which tells them to end, would not be called.)
  }
}

Workers::~Workers() {
  end_ = true;
  ++list_;
  list_.notify_all();
}

void Workers::serve() {
  for (std::uint32_t seen = 0;;) {
    wait_while(list_, seen);
    // Lists come one at a time: the next waits until every thread is through with this.
    ++seen;
    if (end_) return;
    take_items();
    if (--busy_ == 0) busy_.notify_all();
  }
}

void Workers::take_items() {
  for (std::size_t i = next_++; i < count_ && !failed_; i = next_++) {
    try {
      (*work_)(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      if (error_ == nullptr || i < error_at_) {
        error_at_ = i;
        error_ = std::current_exception();
      }
    }
  }
}

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  work_ = &work;
  count_ = count;
  next_ = 0;
  failed_ = false;
  const bool shared = !threads_.empty() && count > 1;
  if (shared) {
    busy_ = static_cast<std::uint32_t>(threads_.size());
    ++list_;
    list_.notify_all();
  }
  take_items();
  if (shared) {
    for (std::uint32_t left = busy_; left > 0; left = busy_) wait_while(busy_, left);
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void for_each_item(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  const int wanted =
      static_cast<int>(std::min(count, static_cast<std::size_t>(std::max(threads, 1))));
  Workers(wanted).for_each(count, work);
}

}  // namespace grasppanda::eval
