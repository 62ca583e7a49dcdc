#include "app/completion.h"
#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord completion_record() {
  return {.name = "completion",
          .usage = "bash|zsh|fish",
          .help = "shell completion",
          .description = "Print a script that completes commands, options, config keys and values.",
          .arguments = {{.name = "SHELL",
                         .help = "bash, zsh or fish",
                         .choices = {"bash", "zsh", "fish"},
                         .offers = Offers::nothing}},
          .options = logging_options(false),
          .examples = {"source <(grasppanda completion bash)",
                       "grasppanda completion fish > ~/.config/fish/completions/grasppanda.fish"},
          .run = run_completion};
}

}  // namespace grasppanda::app
