// The exceptions of the ops room.
#pragma once

#include <stdexcept>

namespace grasppanda::ops {

/// An argument breaks the operator's contract; the message names operator, argument, what it got
/// and what it wants.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A backend or device that was asked for by name cannot be used; the message says why.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace grasppanda::ops
