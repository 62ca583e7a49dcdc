// Clouds that are stored as clouds: PLY, PCD, XYZ, npy, npz.
#pragma once

#include <filesystem>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// Is this a file that open_stored_cloud would read? By content; by suffix where the content does
/// not tell (text, empty files). Looks at the beginning only; a pipe or device is never opened.
bool is_cloud_file(const std::filesystem::path& path);

/// Is it a .npz (array_name chooses in it), or a .npy or .npz (array_index chooses)? By content;
/// false for what cannot be read.
bool is_archive_file(const std::filesystem::path& path);
bool is_array_file(const std::filesystem::path& path);

/// Reads the cloud, (N, 3) or (N, 6) in arrays (see io::colours_or_none for the other three). Of a
/// stack (B, N, 3), `array_index` chooses; of an archive, `array_name`, which may be left out when
/// only one of its arrays has the shape of a cloud. Throws io::FormatError, listing the choices.
Frame open_stored_cloud(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
