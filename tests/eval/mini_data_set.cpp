#include "tests/eval/mini_data_set.h"

namespace grasppanda::tests {

const eval::ObjectModel& MiniDataSet::object(int id) {
  std::unique_ptr<eval::ObjectModel>& model = objects_[id];
  if (!model) {
    model = std::make_unique<eval::ObjectModel>(datasets::read_object_files(root_, id));
  }
  return *model;
}

datasets::GraspDump MiniDataSet::dump(const std::string& set, const std::string& view) const {
  return datasets::read_grasp_dump(root_ / "dumps" / set / (view + ".npy"));
}

eval::ViewVerdict MiniDataSet::evaluate(const std::string& view, const datasets::GraspDump& dump,
                                        int threads) {
  datasets::SceneViews views;
  const std::size_t slash = view.find('/');
  views.camera = view.substr(slash + 1, view.rfind('/') - slash - 1);
  views.folder = root_ / "scenes" / view.substr(0, view.rfind('/'));
  const int number = std::stoi(view.substr(view.rfind('/') + 1));
  views.views = {number};
  const datasets::SceneTruth truth = datasets::read_scene_truth(views);
  std::vector<const eval::ObjectModel*> objects;
  for (const int id : truth.object_ids) objects.push_back(&object(id));
  std::vector<eval::Matrix4f> poses;
  for (const auto& pose : datasets::read_object_poses(datasets::annotation_file(views, number))) {
    poses.push_back(pose.camera_from_object);
  }
  const eval::Matrix4d camera_from_table =
      eval::inverse(eval::multiply(truth.table_from_camera0, truth.camera0_from_camera[number]));
  eval::Workers workers(threads);
  return eval::evaluate_view({objects, poses, camera_from_table}, dump, view, workers);
}

}  // namespace grasppanda::tests
