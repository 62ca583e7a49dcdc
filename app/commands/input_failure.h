// Why an input could not be used, in the words of the record.
#pragma once

#include <exception>

#include "lib/run/input_record.h"

namespace grasppanda::app {

/// Marks `record` as failed: one sentence that names the input, and its kind: "format" (a file that
/// cannot be read as what it should be), "input" (read, but the model cannot use it; followed by
/// the record's warnings, one of which may be the reason), "memory", "internal" (a fault of ours).
/// A std::logic_error in place of a sentence is such a fault.
void note_failure(const std::exception_ptr& failure, run::InputRecord& record);

inline constexpr const char* kInternalFailure = "internal";

}  // namespace grasppanda::app
