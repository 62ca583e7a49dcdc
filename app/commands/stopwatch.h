// Wall time of the steps of one piece of work.
#pragma once

#include <chrono>

namespace grasppanda::app {

class Stopwatch {
 public:
  /// Seconds since the last lap, or since the start.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace grasppanda::app
