// NumPy's .npy files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "lib/io/array.h"
#include "lib/io/mapped_file.h"

namespace grasppanda::io {

/// Reads versions 1, 2 and 3, either byte order, either memory order (returned row-major): bool,
/// integers, float16, 32 and 64, and a single text (0-d `<U` or `|S`; returned as its UTF-8 bytes
/// with is_text). Bytes behind the array are ignored, as NumPy does.
/// Throws FormatError naming the file: cut off, a type we have no use for, pickled objects (which
/// are never loaded).
Array read_npy(const std::filesystem::path& path);
/// The same from memory, copied; `name` stands in messages.
Array parse_npy(std::span<const std::byte> bytes, const std::string& name);
/// The same from shared memory, in place where byte order, memory order and alignment allow.
Array parse_npy(const SharedBytes& bytes, const std::string& name);

/// Version 1.0, the bytes that numpy.save writes for the same array. A text (is_text) is written as
/// uint8. bfloat16, which NumPy does not have, throws std::invalid_argument.
std::string npy_bytes(const Array& array);
/// The part of npy_bytes before the data.
std::string npy_header(const Array& array);
void write_npy(const std::filesystem::path& path, const Array& array);

}  // namespace grasppanda::io
