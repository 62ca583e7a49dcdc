// Parsed distance grids on disk: the text of a large grid takes longer to read than anything else
// of an evaluation.
#pragma once

#include <filesystem>

#include "lib/datasets/object_files.h"

namespace grasppanda::datasets {

/// read_object_files, with the grid taken from `cache` when it was parsed before. Entries are named
/// by the SHA-256 of the text, so a changed file never meets an old entry; an entry that is damaged
/// is made anew. A cache that cannot be written is no error. Empty `cache`: none.
ObjectFiles read_object_files(const std::filesystem::path& root, int object_id,
                              const std::filesystem::path& cache);

}  // namespace grasppanda::datasets
