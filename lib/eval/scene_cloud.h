// The made-up cloud that grasps are tested against: thinned object models in their poses, and the
// table under them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/eval/matrix4.h"
#include "lib/eval/point_set.h"

namespace grasppanda::eval {

/// One point per occupied cell of 8 mm, the mean of the points in it, in order of the cells.
/// `vertices`: 3 each, metres.
PointSet voxel_means(std::span<const double> vertices);

/// Camera frame.
struct SceneCloud {
  PointSet points;                  // of all objects, one after the other
  std::vector<std::size_t> starts;  // of each object in `points`, and their end
  Matrix4d camera_from_table{};

  struct Block {
    Vec3 low, high;  // box around a run of kBlockPoints points
  };
  std::vector<Block> blocks;
  static constexpr std::size_t kBlockPoints = 64;

  std::size_t objects() const { return starts.size() - 1; }
};

/// `models`: voxel means in the model frame.
SceneCloud make_scene_cloud(std::span<const PointSet* const> models,
                            std::span<const Matrix4f> camera_from_object,
                            const Matrix4d& camera_from_table);

/// The object that owns the point of an object nearest to `place` (the first of equals).
std::size_t nearest_object(const SceneCloud& scene, const Vec3& place);

/// What may touch a gripper at object `object`: the points of the scene in the open box of the
/// object grown by 5 cm on every side, along the camera's axes. The table counts: 125 x 125 x 6
/// points of a block of 1 m x 1 m x 5 cm, top at z = 0 of the table frame.
PointSet surroundings(const SceneCloud& scene, std::size_t object);

}  // namespace grasppanda::eval
