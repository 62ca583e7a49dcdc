// oriented-det's Rotated FCOS against the goldens, with one forward pass.
#include "tests/catch.h"
#include "tests/models/oriented_det_goldens.h"

namespace grasppanda {
namespace {

TEST_CASE("Rotated FCOS of oriented-det meets the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(folder, "goldens/oriented_det");
  GP_NEED_DATA(picture, "data/aerial/demo.png");
  const tests::PackageRun run("rotated_fcos", folder, picture);
  CHECK(run.stage("det_boxes").size(0) > 700);
}

}  // namespace
}  // namespace grasppanda
