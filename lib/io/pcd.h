// PCD, the Point Cloud Library's files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "lib/io/point_cloud.h"

namespace grasppanda::io {

/// Reads x, y, z of any type, and colours from a field rgb or rgba (packed 0x00RRGGBB). Data ascii,
/// binary (little endian) or binary_compressed; other fields are skipped, VIEWPOINT is not applied.
/// Organised clouds keep their row order, NaN points stay. Throws FormatError with the line, in
/// text: no PCD file, a malformed header, no x y z, cut off, damaged.
PointCloud read_pcd(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
PointCloud parse_pcd(std::span<const std::byte> bytes, const std::string& name);

}  // namespace grasppanda::io
