#include "app/option_list.h"
#include "app/records/records.h"
#include "app/train_command.h"

namespace grasppanda::app {

CommandRecord train_record() {
  return {.name = "train",
          .usage = "",
          .help = "says that training is not part of this program",
          .description =
              "Training is not part of this program: it runs checkpoints that the public\n"
              "projects trained. See docs/cli.md.",
          .options = logging_options(false),
          .examples = {"grasppanda help infer", "grasppanda checkpoint inspect weights.pth"},
          .run = run_train,
          .takes_anything = true};
}

}  // namespace grasppanda::app
