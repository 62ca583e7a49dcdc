// The files of one object that grasp evaluation uses: surface points and signed distances.
#pragma once

#include <filesystem>
#include <vector>

#include "lib/io/sdf_grid.h"

namespace grasppanda::datasets {

struct ObjectFiles {
  std::vector<double> vertices;  // of nontextured.ply, 3 each, metres, model frame
  io::SdfGrid distances;         // of textured.sdf
};

/// ROOT/models/NNN/{nontextured.ply, textured.sdf}. Throws io::FormatError: a file is missing or
/// malformed, no vertex, a vertex that is not finite.
ObjectFiles read_object_files(const std::filesystem::path& root, int object_id);

/// The same with a grid that was read already. `folder`: ROOT/models/NNN.
ObjectFiles checked_object_files(const std::filesystem::path& folder, io::SdfGrid distances);

/// ROOT/models/NNN.
std::filesystem::path object_folder(const std::filesystem::path& root, int object_id);

}  // namespace grasppanda::datasets
