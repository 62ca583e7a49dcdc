#include "lib/run/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"

namespace grasppanda::run {

namespace {

std::string time_stamp(std::time_t now) {
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &local);
  return text.data();
}

// Tells a run that is being written from one that was killed. File systems without locks are taken
// as they are: the lock guards against a slip, not against malice.
int lock_folder(const std::filesystem::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    throw io::FormatError(path.string() + ": cannot be opened: " + std::strerror(errno));
  }
  if (::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  const bool held = errno == EWOULDBLOCK;
  ::close(folder);
  if (held) {
    throw io::FormatError(path.string() +
                          ": another process is writing this run; wait until it ends");
  }
  return -1;
}

}  // namespace

void make_folders(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed && std::filesystem::is_directory(folder, failed)) return;
  const std::string cause =
      failed ? failed.message() : std::string("a file of that name is in the way");
  throw io::FormatError(folder.string() + ": this folder cannot be made: " + cause);
}

RunDirectory RunDirectory::create(const std::filesystem::path& parent, std::string_view command,
                                  std::string_view model, std::time_t now) {
  const std::filesystem::path folder = parent / command;
  make_folders(folder);
  const std::string stem = std::string(model) + "-" + time_stamp(now);
  for (int attempt = 1;; ++attempt) {
    std::filesystem::path path =
        folder / (attempt == 1 ? stem : stem + "-" + std::to_string(attempt));
    if (::mkdir(path.c_str(), 0777) == 0) {
      const int lock = lock_folder(path);
      return {std::move(path), lock};
    }
    if (errno != EEXIST) {
      throw io::FormatError(path.string() +
                            ": this folder cannot be made: " + std::strerror(errno));
    }
  }
}

RunDirectory RunDirectory::make(const std::filesystem::path& path) {
  make_folders(path);
  const int lock = lock_folder(path);
  RunDirectory made(path, lock);
  std::error_code failed;
  if (!std::filesystem::is_empty(path, failed)) {
    throw io::FormatError(path.string() + ": is there already and not empty; name a new folder");
  }
  return made;
}

RunDirectory RunDirectory::open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    throw io::FormatError(path.string() + ": no such run directory");
  }
  if (!std::filesystem::is_regular_file(path / "summary.json", ignored)) {
    throw io::FormatError(path.string() +
                          ": is no run directory: it holds no summary.json; give a folder that a "
                          "run named at its end, such as runs/infer/MODEL-DATE-TIME");
  }
  const int lock = lock_folder(path);
  return {path, lock};
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

std::filesystem::path RunDirectory::place(const std::filesystem::path& relative) const {
  const std::filesystem::path inside = relative.lexically_normal();
  if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") {
    throw std::logic_error("'" + relative.string() + "' does not lie in the run directory");
  }
  std::filesystem::path file = path_ / inside;
  make_folders(file.parent_path());
  return file;
}

void RunDirectory::write(const std::filesystem::path& relative, std::string_view bytes) const {
  io::write_file_atomically(place(relative), bytes);
}

}  // namespace grasppanda::run
