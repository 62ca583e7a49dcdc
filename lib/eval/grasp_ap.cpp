#include "lib/eval/grasp_ap.h"

#include <algorithm>

#include "lib/eval/errors.h"
#include "lib/eval/parallel_items.h"

namespace grasppanda::eval {
namespace {

constexpr std::size_t k04 = 1, k08 = 3;  // in kFrictions

}  // namespace

void AccuracySums::add(const AccuracyTable& table) {
  ++views_;
  for (const auto& row : table) {
    for (const double share : row) all_ += share;
    at_08_ += row[k08];
    at_04_ += row[k04];
  }
}

void AccuracySums::add(const AccuracySums& other) {
  all_ += other.all_;
  at_08_ += other.at_08_;
  at_04_ += other.at_04_;
  views_ += other.views_;
}

GraspPrecision AccuracySums::mean() const {
  const double rows = static_cast<double>(views_) * kTopK;
  return {all_ / (rows * kFrictions.size()), at_08_ / rows, at_04_ / rows};
}

SceneAccuracy accuracy_of(const SceneVerdicts& scene) {
  SceneAccuracy accuracy{scene.views.scene, scene.views.scene_name(), scene.views.camera, {}};
  for (const ViewVerdict& view : scene.verdicts) accuracy.sums.add(view.accuracy);
  return accuracy;
}

// With several threads a view there are as many lanes as views.
void GraspEvaluation::prepare_lanes(std::size_t count, int threads) {
  if (threads != lane_threads_) lanes_.clear();
  lane_threads_ = threads;
  if (threads == 1) return;
  while (lanes_.size() < count) lanes_.push_back(std::make_unique<Workers>(threads));
}

SceneVerdicts GraspEvaluation::evaluate(const datasets::SceneViews& views,
                                        const std::function<datasets::GraspDump(int view)>& dump_of,
                                        const std::function<void()>& done, const StopAsked& stop) {
  const datasets::SceneTruth truth = datasets::read_scene_truth(views);
  const std::vector<const ObjectModel*> objects = objects_.require(truth.object_ids);
  SceneVerdicts result{views, std::vector<ViewVerdict>(views.views.size())};
  const int at_once = std::max(1, std::min(threads_, static_cast<int>(views.views.size())));
  prepare_lanes(static_cast<std::size_t>(at_once), std::max(1, threads_ / at_once));
  for_each_item(views.views.size(), threads_, [&](std::size_t i) {
    stop_if(stop);
    const int view = views.views[i];
    const std::filesystem::path annotation = datasets::annotation_file(views, view);
    std::vector<Matrix4f> poses;
    for (const datasets::ObjectPose& pose : datasets::read_object_poses(annotation)) {
      poses.push_back(pose.camera_from_object);
    }
    if (poses.size() != objects.size()) {
      throw EvaluationError(annotation.string() + ": has " + std::to_string(poses.size()) +
                            " objects, the annotation of view 0 has " +
                            std::to_string(objects.size()) +
                            "; all views of a scene list the same objects");
    }
    const Matrix4d camera_from_table =
        inverse(multiply(truth.table_from_camera0, truth.camera0_from_camera[view]));
    Workers alone(1);
    Workers& workers = lane_threads_ == 1 ? alone : *lanes_[i];
    result.verdicts[i] = evaluate_view({objects, poses, camera_from_table}, dump_of(view),
                                       views.view_name(view), workers);
    if (done) done();
  });
  return result;
}

std::optional<GraspPrecision> grasp_precision(std::span<const SceneAccuracy> scenes,
                                              std::string_view camera, std::string_view split) {
  AccuracySums sums;
  for (const SceneAccuracy& scene : scenes) {
    if (!camera.empty() && scene.camera != camera) continue;
    if (datasets::in_split(scene.scene, split)) sums.add(scene.sums);
  }
  if (sums.views() == 0) return {};
  return sums.mean();
}

}  // namespace grasppanda::eval
