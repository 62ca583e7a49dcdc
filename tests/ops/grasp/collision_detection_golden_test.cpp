#include <string>

#include "lib/ops/grasp/collision_detection.h"
#include "lib/ops/grasp/scene_voxels.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("collision_detection gives the recorded masks and overlaps") {
  GP_NEED_DATA(folder, "goldens/collision");
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz") continue;
    ++cases;
    const std::string name = entry.path().stem().string();
    INFO(name);
    const at::Tensor cloud =
        npy_tensor(folder / ("cloud_" + name.substr(0, name.find('_')) + ".npy"));
    const auto number = [&](const std::string& parameter) {
      return npz_tensor(entry.path(), parameter).item<double>();
    };
    const ops::Collisions found =
        ops::collision_detection(npz_tensor(entry.path(), "grasps"), cloud,
                                 {number("voxel_size"), number("approach_dist"),
                                  number("collision_thresh"), number("empty_thresh")});
    CHECK(found.collision_mask.equal(npz_tensor(entry.path(), "collision_mask")));
    CHECK(found.empty_mask.equal(npz_tensor(entry.path(), "empty_mask")));
    const at::Tensor ious = npz_tensor(entry.path(), "ious");
    CHECK(at::allclose(found.ious, ious, 1e-12, 0));
    CHECK(ious.count_nonzero().item<int64_t>() > 0);
  }
  CHECK(cases == 18);
}

TEST_CASE("scene_voxels gives the recorded means, bit for bit") {
  GP_NEED_DATA(folder, "goldens/collision");
  for (const auto& [cloud_name, voxels_name, size] :
       {std::tuple{"cloud_frame.npy", "frame_v005_voxels_sorted.npy", 0.005},
        {"cloud_frame.npy", "frame_v010_voxels_sorted.npy", 0.01},
        {"cloud_lattice.npy", "lattice_v010_voxels_sorted.npy", 0.01}}) {
    INFO(voxels_name);
    const at::Tensor cloud = npy_tensor(folder / cloud_name).to(at::kDouble).contiguous();
    std::vector<ops::Point> means =
        ops::scene_voxels(cloud.data_ptr<double>(), cloud.size(0), size);
    std::sort(means.begin(), means.end());
    const at::Tensor want = npy_tensor(folder / voxels_name).to(at::kDouble).contiguous();
    REQUIRE(static_cast<int64_t>(means.size()) == want.size(0));
    const double* row = want.data_ptr<double>();
    int64_t differing = 0;
    for (const ops::Point& mean : means)
      for (const double coordinate : mean) differing += coordinate != *row++;
    CHECK(differing == 0);
  }
}

}  // namespace
}  // namespace grasppanda::tests
