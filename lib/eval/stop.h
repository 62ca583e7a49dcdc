// How whoever waits for an evaluation ends it early.
#pragma once

#include <exception>
#include <functional>

namespace grasppanda::eval {

/// Asked between pieces of work of some milliseconds, from any thread; once it says true the
/// evaluation ends with Stopped. Empty: never.
using StopAsked = std::function<bool()>;

/// What was being evaluated is given up; nothing of it is returned.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the evaluation was stopped"; }
};

inline void stop_if(const StopAsked& asked) {
  if (asked && asked()) throw Stopped();
}

}  // namespace grasppanda::eval
