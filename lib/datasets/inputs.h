// From what the user typed (frames, folders, scenes, clouds, list files) to a list of inputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// Expands arguments in order:
///   - a recorded frame (a folder with depth and meta), a GraspNet-1Billion camera folder, scene,
///     `scenes` folder or data root, a folder whose direct children are of these kinds or clouds
///     (sorted, numbers in names by value), a cloud file, one frame of a scene
///     (`scene_0100/realsense/0000` or its depth picture);
///   - a list file: one path a line, relative to the list file; blank lines and lines that start
///     with `#` are skipped. Lists do not nest.
/// Names are unique: a clash gets `-2`, `-3`, ... What a path is gets decided by content. Inputs
/// themselves are not opened.
/// An argument or line that cannot be used becomes an input with a `problem`, so that the others of
/// a run go on; if there is nothing else, io::FormatError is thrown: does not exist, holds no
/// input, is none.
std::vector<InputRef> list_inputs(const std::vector<std::string>& arguments);

/// Reads and checks one input. Throws io::FormatError.
Frame open_input(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
