// Folders that a command fills.
#pragma once

#include <filesystem>

namespace grasppanda::app {

/// Makes `folder`, with its parents. What another call left there would look like a result of this
/// one: throws UsageError when something is in it; io::FormatError when it cannot be made.
void make_new_folder(const std::filesystem::path& folder);

}  // namespace grasppanda::app
