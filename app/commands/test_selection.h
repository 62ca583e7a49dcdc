// Lists in option values: "100,160", "0-9", "kinect,realsense".
#pragma once

#include <string>
#include <vector>

#include "app/invocation.h"
#include "lib/datasets/grasp_truth.h"

namespace grasppanda::app {

/// All values of an option, split at commas; none when it was not given. Throws UsageError for an
/// empty entry.
std::vector<std::string> listed_words(const Invocation& invocation, const char* option);
/// The same as whole numbers from 0 on; A-B stands for a range. Throws UsageError.
std::vector<int> listed_numbers(const Invocation& invocation, const char* option);

/// --split, --scenes, --cameras, --views. Throws UsageError.
datasets::TruthSelection truth_selection(const Invocation& invocation);

}  // namespace grasppanda::app
