#include "lib/run/leftovers.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "lib/io/atomic_file.h"

namespace grasppanda::run {

namespace fs = std::filesystem;

void remove_leftovers(const RunDirectory& run) {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (fs::recursive_directory_iterator it(run.path(), ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    std::error_code gone;
    if (it->is_regular_file(gone) && io::is_name_aside(it->path().filename().string())) {
      leftovers.push_back(it->path());
    }
  }
  for (const fs::path& file : leftovers) fs::remove(file, ignored);
}

}  // namespace grasppanda::run
