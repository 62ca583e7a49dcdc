// THE list of commands: parser, help, completion and docs/cli.md are made from it.
#include <array>

#include "app/records/records.h"

namespace grasppanda::app {

namespace {

const std::vector<CommandRecord>& records() {
  static const std::vector<CommandRecord> all = {infer_record(),
                                                 test_record(),
                                                 merge_record(),
                                                 render_record(),
                                                 dota_split_record(),
                                                 dota_merge_record(),
                                                 env_record(),
                                                 config_show_record(),
                                                 config_validate_record(),
                                                 checkpoint_inspect_record(),
                                                 checkpoint_convert_record(),
                                                 ops_run_record(),
                                                 ops_bench_record(),
                                                 ops_check_record(),
                                                 ops_build_record(),
                                                 ops_iou_error_record(),
                                                 completion_record(),
                                                 train_record(),
                                                 docs_record()};
  return all;
}

constexpr std::array<CommandGroup, 4> kGroups = {
    {{"dota", "tiles of DOTA images and their results"},
     {"config", "look at and check configurations"},
     {"checkpoint", "look into and convert weights"},
     {"ops", "the operators by themselves"}}};

constexpr std::array<std::string_view, 1> kLaterOptions = {"--watch"};

}  // namespace

std::span<const CommandRecord> command_list() {
  return records();
}

const CommandRecord* find_command(std::string_view name) {
  for (const CommandRecord& command : records())
    if (command.name == name) return &command;
  return nullptr;
}

std::span<const CommandGroup> command_groups() {
  return kGroups;
}

std::span<const std::string_view> later_options() {
  return kLaterOptions;
}

}  // namespace grasppanda::app
