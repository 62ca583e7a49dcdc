// inputs.json: everything that a run was going to do, so that it can go on without being told
// again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/run/run_directory.h"

namespace grasppanda::run {

/// One input as it was listed; `kind`, `view`, `problem` as the datasets room has them.
struct ListedInput {
  std::string name, source, kind, view, problem;
};

struct InputList {
  std::filesystem::path working_directory;                  // what relative sources start from
  std::map<std::string, std::vector<std::string>> options;  // that say how inputs are opened
  std::vector<ListedInput> inputs;                          // all of them, whatever --limit said
  /// Of a shard: which list it is a part of, see whole_list(). Empty: these are all.
  std::string whole{};
};

/// Length and SHA-256 of the names of a list: parts of one list agree in it, wherever it lies.
std::string whole_list(const std::vector<std::string>& names);

void write_input_list(const RunDirectory& run, const InputList& list);
/// Throws io::FormatError for a file that is missing or no list of ours.
InputList read_input_list(const std::filesystem::path& run);

}  // namespace grasppanda::run
