// LibTorch's threads for the length of a scope.
#pragma once

#include <ATen/Parallel.h>

namespace grasppanda::tests {

class ThreadCount {
 public:
  explicit ThreadCount(int threads) : previous_(at::get_num_threads()) {
    at::set_num_threads(threads);
  }
  ~ThreadCount() { at::set_num_threads(previous_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int previous_;
};

}  // namespace grasppanda::tests
