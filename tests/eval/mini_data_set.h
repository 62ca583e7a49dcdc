// The small data set of grasp evaluation and the reference results on it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/datasets/grasp_truth.h"
#include "lib/eval/grasp_view.h"

namespace grasppanda::tests {

/// Views of the mini set with everything that a view's evaluation takes.
class MiniDataSet {
 public:
  explicit MiniDataSet(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  const eval::ObjectModel& object(int id);
  datasets::GraspDump dump(const std::string& set, const std::string& view) const;
  /// `view`: "scene_0100/kinect/0037".
  eval::ViewVerdict evaluate(const std::string& view, const datasets::GraspDump& dump,
                             int threads = 1);
  eval::ViewVerdict evaluate(const std::string& set, const std::string& view, int threads = 1) {
    return evaluate(view, dump(set, view), threads);
  }

 private:
  std::filesystem::path root_;
  std::map<int, std::unique_ptr<eval::ObjectModel>> objects_;
};

}  // namespace grasppanda::tests
