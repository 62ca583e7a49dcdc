#include "lib/eval/grasp_ap.h"

#include "lib/eval/errors.h"
#include "lib/eval/parallel_items.h"

namespace grasppanda::eval {
namespace {

constexpr std::size_t k04 = 1, k08 = 3;  // in kFrictions

struct Sums {
  double all = 0, at_08 = 0, at_04 = 0;
  double views = 0;

  void add(const AccuracyTable& table) {
    views += 1;
    for (const auto& row : table) {
      for (const double share : row) all += share;
      at_08 += row[k08];
      at_04 += row[k04];
    }
  }

  GraspPrecision mean() const {
    const double rows = views * kTopK;
    return {all / (rows * kFrictions.size()), at_08 / rows, at_04 / rows};
  }
};

}  // namespace

SceneVerdicts GraspEvaluation::evaluate(const datasets::SceneViews& views,
                                        const std::function<datasets::GraspDump(int view)>& dump_of,
                                        const std::function<void()>& done) {
  const datasets::SceneTruth truth = datasets::read_scene_truth(views);
  const std::vector<const ObjectModel*> objects = objects_.require(truth.object_ids);
  SceneVerdicts result{views, std::vector<ViewVerdict>(views.views.size())};
  for_each_item(views.views.size(), threads_, [&](std::size_t i) {
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
    result.verdicts[i] =
        evaluate_view({objects, poses, camera_from_table}, dump_of(view), views.view_name(view));
    if (done) done();
  });
  return result;
}

std::optional<GraspPrecision> grasp_precision(std::span<const SceneAccuracy> scenes,
                                              std::string_view camera, std::string_view split) {
  Sums sums;
  for (const SceneAccuracy& scene : scenes) {
    if (!camera.empty() && scene.views.camera != camera) continue;
    if (!datasets::in_split(scene.views.scene, split)) continue;
    for (const AccuracyTable& table : scene.tables) sums.add(table);
  }
  if (sums.views == 0) return {};
  return sums.mean();
}

GraspPrecision grasp_precision(const SceneAccuracy& scene) {
  Sums sums;
  for (const AccuracyTable& table : scene.tables) sums.add(table);
  return sums.mean();
}

}  // namespace grasppanda::eval
