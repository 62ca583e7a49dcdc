// The header of a PLY file: elements and their properties.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/array.h"

namespace grasppanda::io {

struct PlyProperty {
  std::string name;
  DType type = DType::float32;  // of the value, or of a list's items
  bool is_list = false;
  DType count_type = DType::uint8;  // of a list's length
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  enum class Encoding { ascii, little_endian, big_endian } encoding = Encoding::ascii;
  std::vector<PlyElement> elements;  // file order
  std::size_t bytes = 0;             // where the data starts
  std::int64_t lines = 0;            // how many lines the header has
};

/// Throws FormatError with the line.
PlyHeader parse_ply_header(std::string_view file, const std::string& name);

}  // namespace grasppanda::io
