// The exception of the eval room.
#pragma once

#include <stdexcept>

namespace grasppanda::eval {

/// Predictions or truth that cannot be evaluated. One sentence: what, where, what is wanted.
class EvaluationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace grasppanda::eval
