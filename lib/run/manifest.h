// manifest.json: SHA-256 and size of everything that went into a run and came out of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/run/file_stamp.h"
#include "lib/run/run_directory.h"

namespace grasppanda::run {

struct Manifest {
  FileStamp config;                        // config.yaml of the run
  std::optional<FileStamp> config_source;  // the file that was given
  std::optional<FileStamp> checkpoint;
  std::vector<FileStamp> inputs, outputs;  // any order, repetitions allowed
};

/// Sorts by path, drops repetitions, writes. Throws io::FormatError.
void write_manifest(const RunDirectory& run, Manifest manifest);

}  // namespace grasppanda::run
