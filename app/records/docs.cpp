#include "app/docs_command.h"
#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord docs_record() {
  return {.name = "docs",
          .usage = "cli|config",
          .help = "docs/cli.md and docs/config.md, from the lists",
          .description = "Print a page of the documentation.",
          .arguments = {{.name = "PAGE",
                         .help = "cli or config",
                         .choices = {"cli", "config"},
                         .offers = Offers::nothing}},
          .options = logging_options(false),
          .examples = {"grasppanda docs config > docs/config.md"},
          .run = run_docs,
          .hidden = true};
}

}  // namespace grasppanda::app
