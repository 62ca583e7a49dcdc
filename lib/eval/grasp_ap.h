// Average precision of grasps over scenes, cameras and splits of GraspNet-1Billion.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/datasets/grasp_truth.h"
#include "lib/eval/grasp_view.h"
#include "lib/eval/object_store.h"

namespace grasppanda::eval {

/// Verdicts of one scene and camera, in the order of its views.
struct SceneVerdicts {
  datasets::SceneViews views;
  std::vector<ViewVerdict> verdicts;
};

/// What is kept of a scene: the accuracy of every view.
struct SceneAccuracy {
  datasets::SceneViews views;
  std::vector<AccuracyTable> tables;
};

/// Evaluates scene by scene, the views of a scene in parallel. Results do not depend on the number
/// of threads.
class GraspEvaluation {
 public:
  GraspEvaluation(std::filesystem::path root, ObjectStore& objects, int threads)
      : root_(std::move(root)), objects_(objects), threads_(threads) {}

  /// `dump_of(view)` is called from several threads, `done()` after every view likewise. Throws
  /// io::FormatError for truth or dumps that cannot be read, EvaluationError for what they hold.
  SceneVerdicts evaluate(const datasets::SceneViews& views,
                         const std::function<datasets::GraspDump(int view)>& dump_of,
                         const std::function<void()>& done = {});

 private:
  std::filesystem::path root_;
  ObjectStore& objects_;
  int threads_;
};

/// As fractions.
struct GraspPrecision {
  double ap = 0;     // mean over views, k = 1..50 and all frictions
  double ap_08 = 0;  // at friction 0.8
  double ap_04 = 0;  // at friction 0.4
};

/// Mean over the scenes of `camera` (empty: of all) that lie in `split`; nothing without any.
std::optional<GraspPrecision> grasp_precision(std::span<const SceneAccuracy> scenes,
                                              std::string_view camera, std::string_view split);
GraspPrecision grasp_precision(const SceneAccuracy& scene);

}  // namespace grasppanda::eval
