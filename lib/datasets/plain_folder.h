// A recorded frame as a folder: depth.png or depth.npy, meta.mat or meta.json, optional color.png
// and workspace_mask.png. And an RGB-D pair without a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// Does it hold depth or meta under these names? (Either: a missing one is then told by name.)
bool is_frame_folder(const std::filesystem::path& folder);

/// The folder as one input, named after itself.
std::vector<InputRef> list_frame_folder(const std::filesystem::path& folder);

/// Throws io::FormatError: a missing, damaged or ill-fitting part, no intrinsics or no depth unit
/// anywhere.
Frame open_frame_folder(const InputRef& input, const OpenSettings& settings);

/// `input.source` is a depth picture or array; intrinsics come from the settings, the depth unit
/// from them or from the intrinsics' file. Throws io::FormatError.
Frame open_depth_file(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
