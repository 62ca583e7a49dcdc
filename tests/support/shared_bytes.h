// A test's bytes in the form that readers take.
#pragma once

#include <cstring>
#include <string>

#include "lib/io/mapped_file.h"

namespace grasppanda::tests {

/// A copy of exactly this size, so that a sanitizer sees a step beyond it.
inline io::SharedBytes shared_bytes(const std::string& text) {
  auto memory = io::allocate_bytes(text.size());
  if (!text.empty()) std::memcpy(memory.get(), text.data(), text.size());
  return {memory, text.size()};
}

}  // namespace grasppanda::tests
