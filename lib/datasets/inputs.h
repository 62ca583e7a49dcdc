// From what the user typed (frames, folders, scenes, clouds, list files) to a list of inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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
/// input, is none, has a path that is not UTF-8 (the record could not name it).
std::vector<InputRef> list_inputs(const std::vector<std::string>& arguments);

/// A path of a list and the number of its line, from 1.
struct ListLine {
  std::int64_t number = 0;
  std::string path;
};
/// The paths of a list file's text (or of a list on stdin): blanks around a path are dropped, blank
/// lines, lines that start with `#` and a byte-order mark are skipped.
std::vector<ListLine> list_lines(std::string_view text);

/// The file or folder that the input is, for records: of a view of a scene its depth picture.
std::filesystem::path input_path(const InputRef& input);

/// Reads and checks one input. Throws io::FormatError.
Frame open_input(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
