#include "lib/config/read_config_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "lib/config/config_error.h"

namespace grasppanda::config {

std::string read_config_text(const std::filesystem::path& file, std::size_t most) {
  const std::string name = file.string();
  const auto fail = [&](const std::string& why) { throw ConfigError({{name, 0, 0, why}}); };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail("no such file");
  if (std::filesystem::is_directory(status)) fail("is a folder, not a run config");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(std::string("cannot be read: ") + std::strerror(errno));
  std::string text(most + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) fail("cannot be read");
  return text;
}

}  // namespace grasppanda::config
