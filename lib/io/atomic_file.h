// Files that appear whole or not at all: written aside in the same folder, then renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace grasppanda::io {

/// A file being written. Until commit() nothing has its name; without commit() nothing is left.
/// Safe against a process that ends at any moment; not flushed to the disk against power loss.
/// A name that exists and is no regular file (a device, a pipe) is written to directly.
/// Throws FormatError naming the file and the cause (no folder, no permission, disk full).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path path_, aside_;  // aside_ is empty when written to directly
  int descriptor_ = -1;
};

/// Is `name` one under which an AtomicFile is written aside: .NAME.PROCESS-NUMBER.part?
bool is_name_aside(std::string_view name);

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace grasppanda::io
