// What `test` evaluates: lists in option values ("100,160", "0-9", "kinect,realsense"), and how
// they are kept for --resume.
#pragma once

#include <map>
#include <span>
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
/// Ascending numbers as such an option takes them: "0-36,128".
std::string number_list(std::span<const int> numbers);

/// --split, --scenes, --cameras, --views. Throws UsageError.
datasets::TruthSelection truth_selection(const Invocation& invocation);

/// The options of `test` that name data set and selection, as inputs.json keeps them; --data
/// absolute. Nothing for other commands.
std::map<std::string, std::vector<std::string>> evaluated_options(const Invocation& invocation);

/// `test --resume RUN_DIR` with the options that the run was begun with. Throws UsageError where
/// one was typed that says otherwise or the run is none of `test`, io::FormatError for a damaged
/// run.
Invocation resumed_test(const Invocation& invocation);

}  // namespace grasppanda::app
