#include "lib/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "lib/io/format_error.h"

namespace grasppanda::io {

namespace {

constexpr std::align_val_t kAlignment{64};

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw FormatError(path.string() + ": " + reason);
}

}  // namespace

std::shared_ptr<std::byte> allocate_bytes(std::size_t size) {
  auto* memory = static_cast<std::byte*>(::operator new(size == 0 ? 1 : size, kAlignment));
  return {memory, [](std::byte* bytes) { ::operator delete(bytes, kAlignment); }};
}

SharedBytes map_file(const std::filesystem::path& path) {
  // Not blocking: opening a pipe nobody writes to would hang before it could be refused.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    fail(path, errno == ENOENT ? "no such file"
                               : std::string("cannot be opened: ") + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    fail(path, std::string("cannot be examined: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder, a file is wanted");
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) {
    fail(path, std::string("cannot be mapped into memory: ") + std::strerror(errno));
  }
  std::shared_ptr<const std::byte> bytes(
      static_cast<const std::byte*>(address),
      [size](const std::byte* start) { ::munmap(const_cast<std::byte*>(start), size); });
  return {std::move(bytes), size};
}

}  // namespace grasppanda::io
