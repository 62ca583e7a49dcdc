// THE list of metrics: what `test` can say, and of which data set.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace grasppanda::eval {

struct MetricEntry {
  std::string_view name;      // of its header, lib/eval/NAME.h
  std::string_view task;      // "grasp", "detection"
  std::string_view data_set;  // whose truth it takes
  std::string_view truth;     // where that lies in the folder of the data set
  bool (*has_truth)(const std::filesystem::path& root);
};

/// In the order in which a folder is asked for truth.
std::span<const MetricEntry> metric_list();

/// The first whose truth lies in `root`; nullptr: none.
const MetricEntry* find_metric(const std::filesystem::path& root);

}  // namespace grasppanda::eval
