// Which inputs a run has: from the command line, from stdin, or from the run that is resumed.
#pragma once

#include <filesystem>
#include <vector>

#include "app/invocation.h"
#include "lib/datasets/frame.h"
#include "lib/run/input_list.h"

namespace grasppanda::app {

/// What the model of a run takes.
enum class Takes { frames_and_clouds, images };

/// Everything that was typed as input: positionals (`-`: one path a line on stdin), --depth,
/// --points. Throws UsageError when that is nothing, io::FormatError as list_inputs does.
std::vector<datasets::InputRef> typed_inputs(const Invocation& invocation, Takes takes);
/// True when the command line names any input.
bool names_inputs(const Invocation& invocation);

/// The list as it is kept in the run directory, and back. Sources that were relative to another
/// working directory become absolute.
run::InputList to_listed(const std::vector<datasets::InputRef>& inputs,
                         const Invocation& invocation);
std::vector<datasets::InputRef> from_listed(const run::InputList& list);

/// `kept` with those of `typed` that it lacks (by source) behind.
std::vector<datasets::InputRef> joined_inputs(std::vector<datasets::InputRef> kept,
                                              const std::vector<datasets::InputRef>& typed);

}  // namespace grasppanda::app
