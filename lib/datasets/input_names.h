// Names and order of inputs.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// Absolute and without `.`, `..` and a slash at the end; symbolic links stay.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// What a folder is called: "frame" for "data/frame/", the real name for ".".
std::string folder_name(const std::filesystem::path& folder);

/// Direct children that are not hidden, in natural order of their names; none when it is no folder
/// or may not be read.
std::vector<std::filesystem::path> sorted_children(const std::filesystem::path& folder);

/// Runs of digits compare by value ("view2" before "view10"), everything else by byte.
bool natural_less(std::string_view a, std::string_view b);

/// Second and later inputs of a name become `NAME-2`, `NAME-3`, ..., never a name that is taken; so
/// does the first that is called as a file of the run itself, `coco`.
void make_names_unique(std::vector<InputRef>& inputs);

}  // namespace grasppanda::datasets
