#include "lib/datasets/dataset_list.h"

#include "lib/datasets/graspnet_1billion.h"
#include "lib/datasets/plain_folder.h"

namespace grasppanda::datasets {

std::span<const DatasetEntry> dataset_list() {
  static constexpr DatasetEntry kDatasets[] = {
      {"frame folder", "depth.png or depth.npy, meta.mat or meta.json", is_frame_folder,
       list_frame_folder, InputRef::Kind::frame_folder, open_frame_folder},
      {"GraspNet-1Billion", "a data root, its scenes, a scene, or a camera of a scene",
       is_graspnet_folder, list_graspnet_frames, InputRef::Kind::scene_frame, open_graspnet_frame},
  };
  return kDatasets;
}

}  // namespace grasppanda::datasets
