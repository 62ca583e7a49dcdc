// Going on with a run: what it was going to do, and what of it is done for good.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/commands/input_selection.h"
#include "app/invocation.h"
#include "lib/datasets/frame.h"
#include "lib/run/input_record.h"
#include "lib/run/writer.h"

namespace grasppanda::app {

struct Resumed {
  Invocation invocation;                            // with the run's own input options filled in
  std::vector<datasets::InputRef> inputs;           // the run's list, newly typed ones behind
  std::map<std::string, run::InputRecord> records;  // by name
  std::string whole;                                // as InputList has it
};

/// The first line in which `config` is not that of the run, and which is the run's; empty: none.
/// The place of the run directory does not count. Throws io::FormatError when the run has none.
std::string config_difference(const std::filesystem::path& run, const config::Config& config);

/// Throws UsageError when the configuration of `invocation` is not that of the run (one run, one
/// configuration), io::FormatError for a folder that is no run or is damaged.
Resumed resume_run(const std::filesystem::path& run, const Invocation& invocation, Takes takes);

/// Throws UsageError when the weights are not those that the run was made with, io::FormatError
/// when env.json, which names them, cannot be read though results are kept (`kept`).
void require_same_weights(const std::filesystem::path& run, const run::FileStamp& checkpoint,
                          bool kept);

/// True for an input that was done or empty and of which every file that `writers` make is there
/// with the size that was recorded. Failed inputs are tried again.
bool still_holds(const run::InputRecord& record, const std::filesystem::path& run,
                 std::span<const run::WriterEntry* const> writers);

}  // namespace grasppanda::app
