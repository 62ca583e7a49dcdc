// The JSON text at the head of a safetensors file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/array.h"

namespace grasppanda::io {

struct SafetensorsEntry {
  std::string key;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::array<std::uint64_t, 2> offsets{};  // first byte and end, counted from the header's end
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the text
  std::map<std::string, std::string> metadata;
};

/// Throws FormatError beginning with `name`: no JSON, another structure, names twice, a type that
/// is not read. Whether the numbers fit the file is not checked here.
SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& name);

/// "F32" for float32, ...
std::string_view safetensors_dtype(DType dtype);

}  // namespace grasppanda::io
