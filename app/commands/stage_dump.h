// `--stages DIR`: every stage of every input as DIR/NAME/STAGE.npy.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "lib/io/format_error.h"
#include "models/model.h"

namespace grasppanda::app {

/// A stage that cannot be written: a fault of the folder, not of the input.
struct StageError : io::FormatError {
  using FormatError::FormatError;
};

/// Makes the folder. Throws StageError when it cannot be made or written to, before anything runs.
void require_stage_folder(const std::filesystem::path& folder);

/// An observer that writes what it is given. Throws StageError when a file cannot be written.
models::StageObserver stage_writer(const std::filesystem::path& folder, const std::string& name);

}  // namespace grasppanda::app
