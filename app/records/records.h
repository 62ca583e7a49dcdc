// What each command is called, takes and says: usage, arguments, options, examples and the rules
// between its options. One file per command; app/command_list.cpp puts them in order.
#pragma once

#include "app/command.h"

namespace grasppanda::app {

CommandRecord infer_record();
CommandRecord test_record();
CommandRecord merge_record();
CommandRecord render_record();
CommandRecord dota_split_record();
CommandRecord dota_merge_record();
CommandRecord env_record();
CommandRecord config_show_record();
CommandRecord config_validate_record();
CommandRecord checkpoint_inspect_record();
CommandRecord checkpoint_convert_record();
CommandRecord ops_run_record();
CommandRecord ops_bench_record();
CommandRecord ops_check_record();
CommandRecord ops_build_record();
CommandRecord ops_iou_error_record();
CommandRecord completion_record();
CommandRecord train_record();
CommandRecord docs_record();

}  // namespace grasppanda::app
