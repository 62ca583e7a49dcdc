#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord checkpoint_inspect_record() {
  return {
      .name = "checkpoint inspect",
      .usage = "FILE [--json] [--config CONFIG]",
      .help = "what a checkpoint holds and which model it fits",
      .description =
          "List the tensors of a checkpoint (key, shape, type, SHA-256), what lies beside\n"
          "them, which model they fit, what is missing or left over. Builds no network\n"
          "and executes nothing that is in the file.",
      .arguments = {{.name = "FILE", .help = "checkpoint: zip, legacy pickle or safetensors"}},
      .options = options({config_option(), set_option(), json_option()}, logging_options(false)),
      .examples = {"grasppanda checkpoint inspect contact_graspnet.pth",
                   "grasppanda checkpoint inspect weights.tar --json | jq .fits"},
      .json_schema = "grasppanda.checkpoint/1",
      .config = ConfigFrom::option};
}

CommandRecord checkpoint_convert_record() {
  return {.name = "checkpoint convert",
          .usage = "FILE OUT.safetensors",
          .help = "the model's tensors as safetensors",
          .description = "Write the model's tensors of a checkpoint as safetensors.",
          .arguments = {{.name = "FILE", .help = "checkpoint: zip, legacy pickle or safetensors"},
                        {.name = "OUT", .help = "file to write (.safetensors)"}},
          .options = logging_options(false),
          .examples = {"grasppanda checkpoint convert weights.pth weights.safetensors",
                       "grasppanda checkpoint convert model.tar model.safetensors -v"}};
}

}  // namespace grasppanda::app
