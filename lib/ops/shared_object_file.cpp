#include "lib/ops/shared_object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace grasppanda::ops {
namespace {

// More program headers than any linker writes.
constexpr std::uint16_t kMostSegments = 1024;

std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
  return size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
}

}  // namespace

std::string why_not_whole(const std::string& file) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (error || !stream.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMostSegments)
    return {};
  // The table of sections is what linkers write last.
  std::uint64_t wanted = end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  stream.seekg(static_cast<std::streamoff>(std::min<std::uint64_t>(header.e_phoff, size)));
  stream.read(reinterpret_cast<char*>(segments.data()),
              static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
  if (!stream)
    wanted = std::max(wanted, end_of(header.e_phoff, size));
  else
    for (const Elf64_Phdr& segment : segments)
      wanted = std::max(wanted, end_of(segment.p_offset, segment.p_filesz));
  if (wanted <= size) return {};
  return "it is cut off: " + std::to_string(size) + " of " + std::to_string(wanted) + " bytes";
}

}  // namespace grasppanda::ops
