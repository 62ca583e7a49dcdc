#include "lib/ops/grasp/grasp_nms.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("grasp_nms keeps what the package keeps, equal scores in input order") {
  GP_NEED_DATA(folder, "goldens/grasp_nms");
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz") continue;
    ++cases;
    INFO(entry.path().filename().string());
    const at::Tensor kept =
        ops::grasp_nms(npz_tensor(entry.path(), "grasps"),
                       npz_tensor(entry.path(), "translation_thresh").item<double>(),
                       npz_tensor(entry.path(), "rotation_thresh").item<double>());
    CHECK(kept.equal(npz_tensor(entry.path(), "kept_stable")));
  }
  CHECK(cases == 19);
}

}  // namespace
}  // namespace grasppanda::tests
