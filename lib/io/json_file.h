// JSON documents with errors that name file, line and column.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace grasppanda::io {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{256} << 20;

/// Throws FormatError: missing, empty, above kMaxJsonBytes, not JSON (with line and column).
nlohmann::json read_json(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
nlohmann::json parse_json(std::string_view text, const std::string& name);

}  // namespace grasppanda::io
