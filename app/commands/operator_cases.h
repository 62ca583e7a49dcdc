// `ops run --cases`: every case of a folder with cases.json, in one process.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/operator_arrays.h"

namespace grasppanda::app {

struct CaseResults {
  NamedArrays arrays;  // ID/NAME of every output, ID/error of a refused case
  std::int64_t cases = 0;
  std::int64_t refused = 0;          // by their operator, as a case may want
  std::vector<std::string> not_run;  // "ID: there is no operator 'x'"
};

/// Runs the cases of FOLDER/cases.json with the arrays of the archives that it names. Throws
/// io::FormatError where the folder is damaged, ops::BackendError where a backend that was demanded
/// cannot run.
CaseResults run_cases(const std::filesystem::path& folder, const at::Device& device);

}  // namespace grasppanda::app
