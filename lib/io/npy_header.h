// The head of a .npy file: what the array behind it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/io/array.h"

namespace grasppanda::io {

struct NpyHeader {
  DType dtype = DType::uint8;  // of a text: uint8
  char kind = 0;               // 'U' or 'S' for a text, 'O' for pickled objects, else 0
  std::size_t item_bytes = 1;  // of a text: of the whole text
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  // inside the bytes that were given
};

/// Throws FormatError beginning with `name`. The size of the data is not checked here.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace grasppanda::io
