#include "app/commands/new_folder.h"

#include "app/report_error.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

void make_new_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_empty(folder, ignored)) {
    throw UsageError(folder.string() + ": is there already and not empty; name a new folder");
  }
  run::make_folders(folder);
}

}  // namespace grasppanda::app
