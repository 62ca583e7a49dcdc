// THE list of data sets: folders with a convention of their own about where frames lie.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/datasets/open_settings.h"

namespace grasppanda::datasets {

struct DatasetEntry {
  std::string_view name;
  std::string_view holds;  // one line for users
  bool (*recognises)(const std::filesystem::path& folder);
  /// Names are relative to the folder's parent.
  std::vector<InputRef> (*list)(const std::filesystem::path& folder);
  InputRef::Kind kind;
  Frame (*open)(const InputRef& input, const OpenSettings& settings);
};

/// First that recognises a folder wins.
std::span<const DatasetEntry> dataset_list();

}  // namespace grasppanda::datasets
