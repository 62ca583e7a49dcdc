// What GraspNet-1Billion knows about its scenes: which objects lie where, and where the table is.
// ROOT/scenes/scene_NNNN/CAMERA/{annotations/VVVV.xml, cam0_wrt_table.npy, camera_poses.npy}
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::datasets {

struct ObjectPose {
  int id = 0;
  std::array<float, 16> camera_from_object{};  // row-major; float32 as the public evaluation has it
};

/// Objects in the order of the file. Throws io::FormatError with the line.
std::vector<ObjectPose> read_object_poses(const std::filesystem::path& annotation);

/// Part of the data set: "train" (scenes 0-99), "seen" (100-129), "similar" (130-159), "novel"
/// (160-189), "test" (100-189), "all".
bool in_split(int scene, std::string_view split);
inline constexpr std::array<std::string_view, 6> kSplits = {"train", "seen", "similar",
                                                            "novel", "test", "all"};

/// Views of one scene that are evaluated, as one camera saw it.
struct SceneViews {
  int scene = 0;
  std::string camera;            // "kinect", "realsense"
  std::filesystem::path folder;  // ROOT/scenes/scene_NNNN/CAMERA
  std::vector<int> views;        // ascending

  std::string scene_name() const;         // "scene_0100"
  std::string view_name(int view) const;  // "scene_0100/kinect/0037"
};

struct TruthSelection {
  std::string split = "all";
  std::vector<int> scenes;           // empty: every one on disk
  std::vector<std::string> cameras;  // empty: every one on disk
  std::vector<int> views;            // empty: every one with an annotation
};

/// Whether `root` holds scenes with annotations.
bool has_grasp_truth(const std::filesystem::path& root);

/// By camera, then scene. Throws io::FormatError: a scene, camera or view that was named and is not
/// there, nothing selected at all.
std::vector<SceneViews> select_scene_views(const std::filesystem::path& root,
                                           const TruthSelection& selection);

/// What is the same for all views of a scene and camera.
struct SceneTruth {
  std::vector<int> object_ids;  // order of annotations/0000.xml
  std::array<double, 16> table_from_camera0{};
  std::vector<std::array<double, 16>> camera0_from_camera;  // one a view
};
/// Throws io::FormatError: a file is missing or malformed, a view has no camera pose or annotation,
/// a pose that is used is singular or not finite.
SceneTruth read_scene_truth(const SceneViews& views);

std::filesystem::path annotation_file(const SceneViews& views, int view);

}  // namespace grasppanda::datasets
