// `--stages DIR`: every stage of every input as DIR/NAME/STAGE.npy.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "models/model.h"

namespace grasppanda::app {

/// An observer that writes what it is given. Throws io::FormatError when a file cannot be written.
models::StageObserver stage_writer(const std::filesystem::path& folder, const std::string& name);

}  // namespace grasppanda::app
