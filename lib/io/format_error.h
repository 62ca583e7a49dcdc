// The one exception of the io room.
#pragma once

#include <stdexcept>
#include <string>

namespace grasppanda::io {

/// A file that cannot be read or written as what it should be. The message is one sentence that
/// names the file (and the line, where it has lines), what was found, what is wanted.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace grasppanda::io
