// The folder that a run leaves behind: made so that nothing existing is ever touched, held so that
// two processes never write into one.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

namespace grasppanda::run {

class RunDirectory {
 public:
  /// Makes PARENT/COMMAND/MODEL-YYYYMMDD-HHMMSS (local time); a clash gets `-2`, `-3`, ... The
  /// making is atomic: of two runs in one second each gets its own. Throws io::FormatError naming
  /// the folder and the cause (no permission, a file in the way).
  static RunDirectory create(const std::filesystem::path& parent, std::string_view command,
                             std::string_view model, std::time_t now);

  /// Makes `path` itself, a new or empty folder. Throws io::FormatError.
  static RunDirectory make(const std::filesystem::path& path);

  /// An existing run, to go on with it. Throws io::FormatError if it is no run directory or another
  /// process is writing into it.
  static RunDirectory open(const std::filesystem::path& path);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  /// Where a file of the run lies; its folders are made. `relative` stays inside the run: a
  /// std::logic_error otherwise.
  std::filesystem::path place(const std::filesystem::path& relative) const;
  /// Writes a file of the run whole or not at all. Throws io::FormatError.
  void write(const std::filesystem::path& relative, std::string_view bytes) const;

 private:
  RunDirectory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_ = -1;  // the folder, locked (flock) as long as this process writes; -1: no locks here
};

/// Makes a folder and those above it. Throws io::FormatError naming folder and cause.
void make_folders(const std::filesystem::path& folder);

}  // namespace grasppanda::run
