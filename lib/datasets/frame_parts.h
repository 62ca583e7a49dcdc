// Puts a frame together from its files, the same way for every data set.
#pragma once

#include <filesystem>
#include <optional>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// Where the parts of a frame lie. An empty path: the data set has none.
struct FrameFiles {
  std::filesystem::path depth;
  std::filesystem::path meta;        // read_camera_meta
  std::filesystem::path intrinsics;  // where meta has none
  std::filesystem::path color;
  std::filesystem::path workspace_mask;
};

/// Reads all parts, the settings' files and numbers taking the place of the data set's; every file
/// that was read is in `files`. A principal point outside of the picture is a warning.
/// Throws io::FormatError.
Frame read_frame(const InputRef& input, const FrameFiles& files, const OpenSettings& settings);

/// `folder / name` for the first of the names that exists; empty when none does.
std::filesystem::path first_existing(const std::filesystem::path& folder,
                                     std::initializer_list<const char*> names);

}  // namespace grasppanda::datasets
