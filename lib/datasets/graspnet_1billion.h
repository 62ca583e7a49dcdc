// GraspNet-1Billion: scenes/scene_XXXX/CAMERA/{depth,rgb,label,meta}/NNNN.*, camK.npy,
// camera_poses.npy, cam0_wrt_table.npy. Layout: docs/inputs.md; Fang et al., CVPR 2020.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// A data root (holds `scenes`), a folder of scenes, a scene, or a camera's folder?
bool is_graspnet_folder(const std::filesystem::path& folder);

/// Every view below such a folder, in order of scene, camera, view. Names are SCENE/CAMERA/VIEW
/// wherever the walk started, so that results are a dump root.
std::vector<InputRef> list_graspnet_frames(const std::filesystem::path& folder);

/// One view: the path of its depth or colour picture, or CAMERA_FOLDER/VIEW, which need not exist.
std::optional<InputRef> graspnet_view(const std::filesystem::path& path);

/// Reads a view. With `workspace_mask: auto` the workspace is the box of the label image
/// (workspace_box.h); throws io::FormatError when what it needs is missing or empty.
Frame open_graspnet_frame(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
