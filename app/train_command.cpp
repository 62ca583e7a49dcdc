#include "app/train_command.h"

#include "app/report_error.h"

namespace grasppanda::app {

ExitCode run_train(const Invocation&) {
  throw UsageError(
      "training is not part of this program; train with the public projects and run their "
      "checkpoints here (docs/cli.md, 'train')");
}

}  // namespace grasppanda::app
