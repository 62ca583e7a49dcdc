// How long the stages of a prediction take, for the record.
#pragma once

#include <chrono>
#include <string>

#include "models/model.h"

namespace grasppanda::models {

class StageStopwatch {
 public:
  explicit StageStopwatch(Accounting& accounting) : accounting_(accounting) {}

  /// Records the seconds since the last call under `stage`.
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    accounting_.seconds.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Accounting& accounting_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace grasppanda::models
