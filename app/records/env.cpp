#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord env_record() {
  return {.name = "env",
          .usage = "[--json]",
          .help = "versions, processor, devices, which backend each operator runs on",
          .description =
              "Show what this program is made of and what it found on this machine:\n"
              "versions, processor, devices, and the backend each operator settled on.",
          .options = options({json_option()}, logging_options(false)),
          .examples = {"grasppanda env", "grasppanda env --json > env.json",
                       "GRASPPANDA_OPS=reference grasppanda env"},
          .json_schema = "grasppanda.env/1"};
}

}  // namespace grasppanda::app
