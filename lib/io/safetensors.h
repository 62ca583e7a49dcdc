// Safetensors: a JSON header (8 bytes of length, then text), then the items of all tensors.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"
#include "lib/io/mapped_file.h"

namespace grasppanda::io {

/// Does it begin like one (whole or cut off)?
bool looks_like_safetensors(std::span<const std::byte> bytes);

/// Metadata key under which the entries that lay beside the weights are kept, as a JSON object.
inline constexpr const char* kOtherEntries = "grasppanda.other";

struct Safetensors {
  std::vector<NamedArray> tensors;              // in the order of the header
  std::map<std::string, std::string> metadata;  // "__metadata__"
};

/// In place where aligned. Types: BOOL, U8 to U64, I8 to I64, F16, BF16, F32, F64.
/// Throws FormatError beginning with `name`: cut off, a header that is damaged or beyond 100 MB,
/// names twice, data that overlap, leave gaps, do not fit their shape or reach beyond the end.
Safetensors parse_safetensors(const SharedBytes& file, const std::string& name);
Safetensors read_safetensors(const std::filesystem::path& path);

/// Lists the tensors in the order given, lays wide items first so that all are aligned without
/// gaps; equal input gives equal bytes. float16 and bfloat16 stay what they are. Throws FormatError
/// if the file cannot be written, std::invalid_argument for equal keys.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace grasppanda::io
