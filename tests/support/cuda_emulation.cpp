#include "tests/support/cuda_emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

thread_local grasppanda::tests::emulation::Index threadIdx, blockIdx;

// The plain functions, also where a hardened C library would refuse to jump between stacks.
extern "C" {
int plain_setjmp(jmp_buf) __asm__("_setjmp") __attribute__((returns_twice));
[[noreturn]] void plain_longjmp(jmp_buf, int) __asm__("_longjmp");
}

namespace grasppanda::tests::emulation {
namespace {

constexpr std::size_t kStack = 64 * 1024;
constexpr unsigned kLanes = 32;
constexpr const char* kStuck = "threads of the kernel wait for others that do not come";

std::atomic<int> most_together{8};
std::atomic<int> launched{0}, launched_together{0};

/// A meeting of a fixed number of threads; `round` goes up when all have come.
struct Meeting {
  unsigned expected = 0, here = 0;
  unsigned long round = 0;
  std::uint64_t given[kLanes] = {}, taken[kLanes] = {};
  void complete_if_all() {
    if (here != expected) return;
    std::memcpy(taken, given, sizeof(given));
    here = 0;
    ++round;
  }
};

struct Fiber {
  ucontext_t start;
  jmp_buf resume;
  std::unique_ptr<char[]> stack;
  bool started = false, done = true;
  const Meeting* waits_for = nullptr;
  unsigned long seen = 0;
  bool ready() const { return !done && (waits_for == nullptr || waits_for->round != seen); }
};

/// One block after another on one thread of the CPU; fibers are kept.
class Block {
 public:
  const char* run(unsigned block, unsigned threads, const std::function<void()>& thread,
                  unsigned seed);
  void wait(Meeting& meeting) {
    Fiber& fiber = *fibers_[current_];
    fiber.seen = meeting.round;
    ++meeting.here;
    meeting.complete_if_all();
    if (meeting.round != fiber.seen) return;
    fiber.waits_for = &meeting;
    leave();
    fiber.waits_for = nullptr;
  }
  void pause() {
    paused_ = true;
    leave();
  }
  Meeting& warp() { return warps_[current_ / kLanes]; }
  Meeting& all() { return all_; }
  unsigned current() const { return current_; }

 private:
  static void main_of_fiber();
  void leave() {
#ifdef __SANITIZE_ADDRESS__
    swapcontext(&fibers_[current_]->start, &scheduler_context_);
#else
    if (plain_setjmp(fibers_[current_]->resume) == 0) plain_longjmp(scheduler_, 1);
#endif
  }
  void enter(unsigned thread);

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Meeting> warps_;
  Meeting all_;
  jmp_buf scheduler_;
  ucontext_t scheduler_context_;
  const std::function<void()>* thread_ = nullptr;
  unsigned current_ = 0, block_ = 0;
  bool paused_ = false;
};

thread_local std::unique_ptr<Block> running;

void Block::main_of_fiber() {
  for (;;) {
    (*running->thread_)();
    running->fibers_[running->current_]->done = true;
    running->leave();
  }
}

void Block::enter(unsigned thread) {
  current_ = thread;
  threadIdx.x = thread;
  blockIdx.x = block_;
  Fiber& fiber = *fibers_[thread];
  if (!fiber.started) {
    getcontext(&fiber.start);
    fiber.stack = std::make_unique_for_overwrite<char[]>(kStack);
    fiber.start.uc_stack.ss_sp = fiber.stack.get();
    fiber.start.uc_stack.ss_size = kStack;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, main_of_fiber, 0);
  }
#ifdef __SANITIZE_ADDRESS__
  fiber.started = true;
  swapcontext(&scheduler_context_, &fiber.start);
#else
  if (plain_setjmp(scheduler_) != 0) return;
  if (fiber.started) plain_longjmp(fiber.resume, 1);
  fiber.started = true;
  setcontext(&fiber.start);
#endif
}

const char* Block::run(unsigned block, unsigned threads, const std::function<void()>& thread,
                       unsigned seed) {
  block_ = block;
  thread_ = &thread;
  while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
  warps_.assign(threads / kLanes, {});
  for (Meeting& warp : warps_) warp.expected = kLanes;
  all_ = {};
  all_.expected = threads;
  for (unsigned i = 0; i < threads; ++i) fibers_[i]->done = false, fibers_[i]->waits_for = nullptr;
  // A walk over all threads: the number of threads is a power of two, the step odd.
  const unsigned step = 2 * (seed % threads) + 1, first = seed / threads;
  for (unsigned alive = threads; alive > 0;) {
    bool progress = false;
    paused_ = false;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned next = (first + i * step) % threads;
      if (!fibers_[next]->ready()) continue;
      progress = true;
      enter(next);
      if (fibers_[next]->done) --alive;
    }
    if (!progress) return kStuck;
    // Another block has to get on; on a busy machine a sleeper is woken sooner than one that
    // yields.
    if (paused_) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return nullptr;
}

unsigned next_seed() {
  static std::atomic<unsigned> state{12345};
  return state = state * 1664525u + 1013904223u;
}

Block& block_of_thread() {
  if (!running) running = std::make_unique<Block>();
  return *running;
}

}  // namespace

const char* run_blocks(unsigned blocks, unsigned threads, const std::function<void()>& thread) {
  ++launched;
  for (unsigned block = 0; block < blocks; ++block)
    if (const char* failure = block_of_thread().run(block, threads, thread, next_seed() >> 8)) {
      running.reset();
      return failure;
    }
  return nullptr;
}

const char* run_blocks_together(unsigned blocks, unsigned threads,
                                const std::function<void()>& thread) {
  ++launched;
  ++launched_together;
  if (blocks > static_cast<unsigned>(most_together)) return "too many blocks at once";
  std::atomic<const char*> failure{nullptr};
  std::vector<std::thread> workers;
  for (unsigned block = 0; block < blocks; ++block)
    workers.emplace_back([&, block, seed = next_seed() >> 8] {
      if (const char* failed = block_of_thread().run(block, threads, thread, seed))
        failure = failed;
      running.reset();
    });
  for (std::thread& worker : workers) worker.join();
  return failure;
}

void set_most_blocks_together(int blocks) {
  most_together = blocks;
}
int most_blocks_together() {
  return most_together;
}
Launches launches() {
  return {launched_together, launched};
}

const std::uint64_t* exchange_in_warp(std::uint64_t value) {
  Block& block = *running;
  Meeting& warp = block.warp();
  warp.given[block.current() % kLanes] = value;
  block.wait(warp);
  return warp.taken;
}
void wait_for_block() {
  running->wait(running->all());
}
void pause() {
  running->pause();
}

}  // namespace grasppanda::tests::emulation
