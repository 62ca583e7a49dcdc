// Clouds that are stored as clouds: PLY, PCD, XYZ, npy, npz.
#pragma once

#include <filesystem>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

/// Is this a file that open_stored_cloud would read? By content; by suffix where the content does
/// not tell (text, empty files). Looks at the beginning only.
bool is_cloud_file(const std::filesystem::path& path);

/// Reads the cloud, (N, 3) or (N, 6) in arrays (see io::colours_or_none for the other three). Of a
/// stack (B, N, 3), `array_index` chooses; of an archive, `array_name`, which may be left out when
/// only one of its arrays has the shape of a cloud. Throws io::FormatError, listing the choices.
Frame open_stored_cloud(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
