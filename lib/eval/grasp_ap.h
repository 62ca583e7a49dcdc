// Average precision of grasps over scenes, cameras and splits of GraspNet-1Billion.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/datasets/grasp_truth.h"
#include "lib/eval/grasp_view.h"
#include "lib/eval/object_store.h"
#include "lib/eval/stop.h"

namespace grasppanda::eval {

/// Verdicts of one scene and camera, in the order of its views.
struct SceneVerdicts {
  datasets::SceneViews views;
  std::vector<ViewVerdict> verdicts;
};

/// As fractions.
struct GraspPrecision {
  double ap = 0;     // mean over views, k = 1..50 and all frictions
  double ap_08 = 0;  // at friction 0.8
  double ap_04 = 0;  // at friction 0.4
};

/// Sums over the tables of views: what a mean over them takes.
class AccuracySums {
 public:
  void add(const AccuracyTable& table);
  void add(const AccuracySums& other);
  std::size_t views() const { return views_; }
  /// Of at least one view.
  GraspPrecision mean() const;

 private:
  double all_ = 0, at_08_ = 0, at_04_ = 0;
  std::size_t views_ = 0;
};

/// What is kept of a scene and camera, however many views it has.
struct SceneAccuracy {
  int scene = 0;
  std::string name;  // "scene_0100"
  std::string camera;
  AccuracySums sums;
};
SceneAccuracy accuracy_of(const SceneVerdicts& scene);

/// Evaluates scene by scene, the views of a scene in parallel; with fewer views than threads the
/// grasps of a view, too. Results do not depend on the number of threads.
class GraspEvaluation {
 public:
  GraspEvaluation(std::filesystem::path root, ObjectStore& objects, int threads)
      : root_(std::move(root)), objects_(objects), threads_(threads) {}

  /// `dump_of(view)` is called from several threads, `done()` after every view likewise, `stop`
  /// asked before each. Throws io::FormatError for truth or dumps that cannot be read,
  /// EvaluationError for what they hold, Stopped.
  SceneVerdicts evaluate(const datasets::SceneViews& views,
                         const std::function<datasets::GraspDump(int view)>& dump_of,
                         const std::function<void()>& done = {}, const StopAsked& stop = {});

 private:
  void prepare_lanes(std::size_t count, int threads);

  std::filesystem::path root_;
  ObjectStore& objects_;
  int threads_;
  int lane_threads_ = 1;
  std::vector<std::unique_ptr<Workers>> lanes_;  // of view i, where a view has several threads
};

/// Mean over the views of the scenes of `camera` (empty: of all) that lie in `split`; nothing
/// without any.
std::optional<GraspPrecision> grasp_precision(std::span<const SceneAccuracy> scenes,
                                              std::string_view camera, std::string_view split);

}  // namespace grasppanda::eval
