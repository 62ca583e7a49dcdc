#include "lib/run/file_stamp.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "lib/io/format_error.h"
#include "lib/io/sha256.h"

namespace grasppanda::run {

FileStamp stamp_file(const std::filesystem::path& file, std::string named) {
  FileStamp stamp{.path = std::move(named), .size = 0, .sha256 = io::sha256_file_hex(file)};
  std::error_code failed;
  stamp.size = std::filesystem::file_size(file, failed);
  if (failed) throw io::FormatError(file.string() + ": has no size: " + failed.message());
  return stamp;
}

nlohmann::ordered_json to_json(const FileStamp& stamp) {
  return {{"path", stamp.path}, {"size", stamp.size}, {"sha256", stamp.sha256}};
}

FileStamp stamp_from_json(const nlohmann::ordered_json& json) {
  return {.path = json.at("path").get<std::string>(),
          .size = json.at("size").get<std::uint64_t>(),
          .sha256 = json.at("sha256").get<std::string>()};
}

}  // namespace grasppanda::run
