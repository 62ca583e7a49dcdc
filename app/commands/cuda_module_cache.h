// The folder of compiled CUDA libraries, and what is known of the builds in it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace grasppanda::app {

/// What a build left behind, in `build.json` of its folder.
struct CudaBuildRecord {
  bool built = false;
  std::string compiler;       // its identity
  std::string architectures;  // "75+PTX 80 86"
  double seconds = 0;
};

/// $GRASPPANDA_OPS_CACHE, else $GRASPPANDA_CACHE/ops, else ~/.cache/grasppanda/ops; in it one
/// folder per LibTorch version, variant, platform and source revision:
/// "libtorch-2.11.0-cu130-linux-x86_64-0123456789abcdef".
std::filesystem::path cuda_cache_folder(const std::map<std::string, std::string>& environment);

std::optional<CudaBuildRecord> read_build_record(const std::filesystem::path& folder);
void write_build_record(const std::filesystem::path& folder, const CudaBuildRecord& record);

/// Holds the folder for one process; others wait. The system gives it free when a process ends.
class BuildLock {
 public:
  /// `waiting` is called once if another process holds the folder. Throws io::FormatError when the
  /// folder cannot be made or written to.
  template <class Waiting>
  BuildLock(const std::filesystem::path& folder, const Waiting& waiting)
      : descriptor_(open(folder)) {
    if (try_lock()) return;
    waiting();
    wait();
  }
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  static int open(const std::filesystem::path& folder);
  bool try_lock() const;
  void wait() const;
  int descriptor_;
};

}  // namespace grasppanda::app
