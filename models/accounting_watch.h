// The time of a model's stages, for the record of an input.
#pragma once

#include <chrono>
#include <string>

#include "models/model.h"

namespace grasppanda::models {

/// Starts when it is made; every lap books the seconds since the last one under a name.
class AccountingWatch {
 public:
  explicit AccountingWatch(Accounting& accounting) : accounting_(accounting) {}
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
