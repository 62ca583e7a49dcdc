// The header of a PCD file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::io {

struct PcdField {
  std::string name;
  std::uint64_t size = 4;    // bytes of an item: 1, 2, 4, 8
  char type = 'F';           // I signed, U unsigned, F floating
  std::uint64_t count = 1;   // items per point
  std::uint64_t offset = 0;  // in a point's record
};

struct PcdHeader {
  enum class Encoding { ascii, binary, compressed } encoding = Encoding::ascii;
  std::vector<PcdField> fields;
  std::uint64_t points = 0;
  std::uint64_t point_bytes = 0;  // of a record
  std::size_t bytes = 0;          // where the data starts
  std::int64_t lines = 0;         // how many lines the header has
};

/// Throws FormatError with the line.
PcdHeader parse_pcd_header(std::string_view file, const std::string& name);

}  // namespace grasppanda::io
