// Runs that are to become one: whether they belong together, and in which order their inputs stand.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/finished_run.h"
#include "lib/config/config.h"

namespace grasppanda::app {

struct MergePlan {
  std::vector<FinishedRun> runs;
  run::InputList list;  // of all of them, sources absolute
  struct Part {
    std::size_t run = 0;     // in `runs`
    std::size_t record = 0;  // in its summary
    std::size_t place = 0;   // in `list`
  };
  std::vector<Part> parts;            // the inputs that were tried
  std::vector<std::string> warnings;  // of the runs as a whole
};

/// `config`: that of the first. Shards (--shard I/N) have to be all N of one list, their inputs
/// interleave; other runs stand one behind the other. Throws UsageError for runs that do not belong
/// together (command, configuration, weights, options, one name twice, a shard missing or twice),
/// io::FormatError for one that cannot be used.
MergePlan plan_merge(const std::vector<std::string>& paths, const config::Config& config);

}  // namespace grasppanda::app
