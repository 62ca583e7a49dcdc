// oriented-det's Rotated FCOS against the goldens, with one forward pass.
#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/models/oriented_det_goldens.h"

namespace grasppanda {
namespace {

TEST_CASE("Rotated FCOS of oriented-det meets the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(folder, "goldens/oriented_det");
  GP_NEED_DATA(picture, "data/aerial/demo.png");
  const tests::PackageRun run("rotated_fcos", folder, picture);
  CHECK(run.stage("det_boxes").size(0) > 700);

  // Windows of its own grid are told one by one: 0, 48, 96, then 144 moved back to 86.
  const config::Config small =
      tests::detector_config("rotated_fcos", "oriented_det",
                             "input: {size: 64}\ndetect: {tiling: {min_side: 0, overlap: 16}}\n");
  const auto detector = tests::load_detector(small, run.checkpoint());
  const at::Tensor wide = at::zeros({40, 150, 3}, at::kByte);
  using Told = std::vector<std::pair<std::size_t, std::size_t>>;
  Told told;
  const auto outputs = detector->detect({&wide, 1}, {}, [&](std::size_t done, std::size_t windows) {
    told.emplace_back(done, windows);
  });
  CHECK(outputs.front().tiles.size() == 4);
  CHECK((told == Told{{0, 4}, {1, 4}, {2, 4}, {3, 4}}));
}

}  // namespace
}  // namespace grasppanda
