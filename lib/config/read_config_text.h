// The text of a configuration file, which may be any file that a user has named.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace grasppanda::config {

/// At most `most` + 1 bytes, so that a reader can tell that there are too many. Throws ConfigError
/// with the file's name: not there, a folder, not readable.
std::string read_config_text(const std::filesystem::path& file, std::size_t most);

}  // namespace grasppanda::config
