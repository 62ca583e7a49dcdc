// A file's fingerprint for the record: where it lies, how long it is, its SHA-256.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace grasppanda::run {

struct FileStamp {
  std::string path;        // absolute for what was read, relative to the run for what was written
  std::uint64_t size = 0;  // bytes
  std::string sha256;      // 64 hexadecimal digits
};

/// Reads the whole file. `named`: the path that the stamp carries. Throws io::FormatError.
FileStamp stamp_file(const std::filesystem::path& file, std::string named);

nlohmann::ordered_json to_json(const FileStamp& stamp);
/// Throws nlohmann::json::exception for another shape.
FileStamp stamp_from_json(const nlohmann::ordered_json& json);

}  // namespace grasppanda::run
