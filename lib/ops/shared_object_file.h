// Whether a shared object can be opened without harm.
#pragma once

#include <string>

namespace grasppanda::ops {

/// Why the file must not be given to dlopen, or nothing: a file that ends before what its ELF
/// header promises (a copy that was interrupted, a full disk) kills the process with SIGBUS when
/// its pages are touched. What else may be wrong with a file, dlopen says itself.
std::string why_not_whole(const std::string& file);

}  // namespace grasppanda::ops
