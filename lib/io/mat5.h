// MATLAB 5 .mat files, as far as frames need them: numeric arrays by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "lib/io/array.h"

namespace grasppanda::io {

/// The most that one variable may take, inflated.
inline constexpr std::size_t kMaxMat5VariableBytes = std::size_t{64} << 20;

/// The variables of `wanted` that the file holds, as float64 in row-major order (int64 beyond 2^53
/// is rounded). Compressed elements or not, either byte order, every real numeric class and storage
/// type. Other variables are skipped unread, whatever they are.
/// Throws FormatError: no MAT 5 file (telling 7.3 apart), cut off, damaged, a wanted variable that
/// is no plain numeric array (text, cell, struct, sparse, complex) or above kMaxMat5VariableBytes.
std::map<std::string, Array, std::less<>> read_mat5(const std::filesystem::path& path,
                                                    std::span<const std::string_view> wanted);
/// The same from memory; `name` stands in messages.
std::map<std::string, Array, std::less<>> parse_mat5(std::span<const std::byte> bytes,
                                                     const std::string& name,
                                                     std::span<const std::string_view> wanted);

}  // namespace grasppanda::io
