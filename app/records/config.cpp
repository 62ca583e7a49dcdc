#include "app/config_command.h"
#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

namespace {

std::vector<OptionRecord> config_options() {
  return options({config_option(), checkpoint_option(), set_option(), device_option(true),
                  threads_option(true), seed_option(), out_option(), json_option()},
                 logging_options(false));
}

}  // namespace

CommandRecord config_show_record() {
  return {.name = "config show",
          .usage = "CONFIG [options]",
          .help = "the effective configuration, with the origin of every value",
          .description =
              "Print the effective configuration: every key, defaults filled in, each with\n"
              "where its value came from. The output is a config itself.",
          .arguments = {{.name = "CONFIG",
                         .least = 0,
                         .help = "run config (YAML); or with -c",
                         .offers = Offers::configs}},
          .options = config_options(),
          .examples = {"grasppanda config show configs/contact_graspnet.yaml",
                       "grasppanda config show run.yaml --set postprocess.top_k=50 > run50.yaml"},
          .json_schema = "grasppanda.config/1",
          .config = ConfigFrom::argument,
          .run = run_config_show};
}

CommandRecord config_validate_record() {
  return {.name = "config validate",
          .usage = "CONFIG [options]",
          .help = "check a configuration; every error with line and column",
          .description =
              "Check a configuration as a whole; says every error with line, column and the\n"
              "nearest valid key. Files that it names are not opened.",
          .arguments = {{.name = "CONFIG",
                         .least = 0,
                         .help = "run config (YAML); or with -c",
                         .offers = Offers::configs}},
          .options = config_options(),
          .examples = {"grasppanda config validate run.yaml",
                       "grasppanda config validate run.yaml --set runtime.ops.knn=compiled"},
          .json_schema = "grasppanda.config/1",
          .config = ConfigFrom::argument,
          .run = run_config_validate};
}

}  // namespace grasppanda::app
