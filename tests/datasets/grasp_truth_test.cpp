// What holds for all views of a scene: objects, table, camera poses.
#include "lib/datasets/grasp_truth.h"

#include <limits>

#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

const std::vector<double> kPose = {0, -1, 0, 0.5, 1, 0, 0, 0.25, 0, 0, 1, -0.5, 0, 0, 0, 1};

std::vector<double> joined(const std::vector<std::vector<double>>& matrices) {
  std::vector<double> all;
  for (const auto& matrix : matrices) all.insert(all.end(), matrix.begin(), matrix.end());
  return all;
}

}  // namespace

TEST_CASE("poses of table and cameras that are used must be poses") {
  const ScratchFolder scratch;
  scratch.file("annotations/0000.xml",
               "<scene><obj><i>3</i><n/><p/><pos>0 0 0</pos><ori>1 0 0 0</ori></obj></scene>");
  const fs::path table = scratch.path() / "cam0_wrt_table.npy";
  const fs::path poses = scratch.path() / "camera_poses.npy";
  datasets::SceneViews views{100, "kinect", scratch.path(), {0, 2}};
  const auto write = [](const fs::path& file, const std::vector<std::vector<double>>& matrices) {
    io::write_npy(
        file, io::make_array({static_cast<std::int64_t>(matrices.size()), 4, 4}, joined(matrices)));
  };
  const std::vector<double> zeros(16, 0.0);
  std::vector<double> infinite = kPose;
  infinite[7] = std::numeric_limits<double>::infinity();
  std::vector<double> dependent =
      kPose;  // the third row is twice the first plus a third of the second
  for (std::size_t i = 0; i < 4; ++i) dependent[8 + i] = 2 * kPose[i] + kPose[4 + i] / 3;

  // View 1 is not evaluated, so its pose may be anything; the table's second matrix is not used.
  for (const auto& unused : {kPose, zeros, infinite}) {
    write(table, {kPose, unused});
    write(poses, {kPose, unused, kPose});
    const datasets::SceneTruth truth = datasets::read_scene_truth(views);
    CHECK(truth.object_ids == std::vector<int>{3});
    CHECK(truth.camera0_from_camera.size() == 3);
  }
  for (const auto& broken : {zeros, dependent}) {
    write(poses, {kPose, kPose, broken});
    CHECK_THROWS_WITH(datasets::read_scene_truth(views),
                      Contains("camera_poses.npy: matrix 2 is singular"));
  }
  write(poses, {infinite, kPose, kPose});
  CHECK_THROWS_WITH(datasets::read_scene_truth(views),
                    Contains("camera_poses.npy: matrix 0 is not finite"));
  write(poses, {kPose, kPose, kPose});
  write(table, {dependent});
  CHECK_THROWS_WITH(datasets::read_scene_truth(views),
                    Contains("cam0_wrt_table.npy: matrix 0 is singular"));
  // Of a small scale, yet regular.
  std::vector<double> small = kPose;
  for (double& x : small) x *= 1e-9;
  write(table, {small});
  CHECK_NOTHROW(datasets::read_scene_truth(views));
}

}  // namespace grasppanda::tests
