#include "lib/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "lib/io/format_error.h"

namespace grasppanda::io {

namespace {

// Unique among the processes of this machine and the threads of this one; O_EXCL does the rest.
std::filesystem::path name_aside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::string stem = path.filename().string();
  if (stem.size() > 200) stem.resize(200);  // names end at 255 bytes
  return path.parent_path() / ("." + stem + "." + std::to_string(::getpid()) + "-" +
                               std::to_string(counter.fetch_add(1)) + ".part");
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      fail("cannot be written");
    }
    if (!S_ISREG(status.st_mode)) {
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0) fail("cannot be opened for writing");
      return;
    }
    // A link stays a link: the file it leads to is the one that is replaced.
    std::error_code ignored;
    if (auto real = std::filesystem::canonical(path_, ignored); !ignored) path_ = std::move(real);
  }
  do {
    aside_ = name_aside(path_);
    descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    aside_.clear();
    fail("cannot be written");
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot be written");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void AtomicFile::commit() {
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed == 0 && (aside_.empty() || ::rename(aside_.c_str(), path_.c_str()) == 0)) return;
  const int cause = errno;
  if (!aside_.empty()) ::unlink(aside_.c_str());
  errno = cause;
  fail("cannot be written");
}

void AtomicFile::fail(const char* what) const {
  throw FormatError(path_.string() + ": " + what + ": " + std::strerror(errno));
}

bool is_name_aside(std::string_view name) {
  constexpr std::string_view kEnd = ".part";
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return false;
  name.remove_suffix(kEnd.size());
  const auto take_number = [&name](char before) {
    const std::size_t start = name.find_last_not_of("0123456789");
    if (start == std::string_view::npos || start + 1 == name.size() || name[start] != before) {
      return false;
    }
    name = name.substr(0, start);
    return true;
  };
  return take_number('-') && take_number('.') && name.size() > 1;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace grasppanda::io
