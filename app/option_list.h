// Options that several commands share; the others stand with their command in app/records/.
#pragma once

#include <initializer_list>
#include <vector>

#include "app/command.h"

namespace grasppanda::app {

OptionRecord config_option();
OptionRecord checkpoint_option();
OptionRecord set_option();
OptionRecord device_option(bool mirrors_config);
OptionRecord threads_option(bool mirrors_config);
OptionRecord seed_option();
OptionRecord out_option();
OptionRecord shard_option();
OptionRecord json_option();
/// --quiet, --verbose, --log-file, --color WHEN, --help, --version; `long_running`: --no-progress.
std::vector<OptionRecord> logging_options(bool long_running);

/// With --resume neither --out nor `output.dir` nor --shard may be given. Throws UsageError.
void check_resumed(const Invocation& invocation);

std::vector<OptionRecord> options(std::initializer_list<OptionRecord> own,
                                  std::vector<OptionRecord> shared);

}  // namespace grasppanda::app
