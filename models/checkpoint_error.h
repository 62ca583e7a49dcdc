// The one exception of the models room that a user can cause.
#pragma once

#include <stdexcept>

namespace grasppanda::models {

/// A checkpoint that does not fit the model; names tensors, shapes, and a model that would fit.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An input that the model cannot use ("no table plane found; set model.up").
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace grasppanda::models
