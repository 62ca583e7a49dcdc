// PLY: clouds in, coloured meshes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/io/point_cloud.h"

namespace grasppanda::io {

/// Reads the vertices: x, y, z of any numeric type, and colours where red, green, blue are there
/// (integers as they are, 16 bits by the high byte, floating 0..1 scaled). Other properties, lists
/// and other elements are skipped. Ascii, binary little and big endian.
/// Throws FormatError with the line, in text, or the element: no PLY file, a malformed header, no x
/// y z, cut off.
PointCloud read_ply(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
PointCloud parse_ply(std::span<const std::byte> bytes, const std::string& name);

/// Vertices with or without colour, triangles and edges; any of the three may be empty.
struct PlyMesh {
  std::vector<float> xyz;           // 3 per vertex, metres
  std::vector<std::uint8_t> rgb;    // 3 per vertex, or empty
  std::vector<std::int32_t> faces;  // 3 vertex numbers per triangle
  std::vector<std::int32_t> edges;  // 2 vertex numbers per edge
};

/// Binary little endian. Throws std::invalid_argument when sizes disagree or a number names no
/// vertex, FormatError when the file cannot be written.
void write_ply(const std::filesystem::path& path, const PlyMesh& mesh);
std::string ply_bytes(const PlyMesh& mesh);

}  // namespace grasppanda::io
