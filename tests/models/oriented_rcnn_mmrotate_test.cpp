// MMRotate's Oriented R-CNN against the goldens: every stage, the regions with the golden
// proposals, detections of both lines, with one forward pass.
#include "models/mmrotate/oriented_rcnn/oriented_rcnn.h"

#include "models/mmrotate/two_stage.h"
#include "tests/catch.h"
#include "tests/models/mmrotate_two_stage.h"

namespace grasppanda::models::mmrotate {
namespace {

TEST_CASE("Oriented R-CNN of MMRotate meets the goldens", "[models][mmrotate]") {
  GP_NEED_DATA(folder, "goldens/mmrotate/oriented_rcnn_le90");
  GP_NEED_DATA(picture_file, "goldens/mmrotate/images/demo_crop.png");
  tests::TwoStageRun run(oriented_rcnn::blueprint(), "oriented_rcnn", folder, picture_file,
                         "  angle_version: le90\n", {});
  const at::Tensor want = run.golden()("proposals");
  const at::Tensor none = at::zeros({want.size(0)}, at::kLong);
  const at::Tensor got = run.stage("proposals");
  REQUIRE(got.size(0) == want.size(0));
  const tests::Unmatched left =
      tests::unmatched(got, none, want, none, {.pixels = 0.05, .radians = 1e-3, .score = 1e-3});
  CHECK(left.got <= want.size(0) / 50);

  // With the golden's proposals, row by row.
  std::vector<Proposal> proposals;
  const at::Tensor rows = want.contiguous();
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const float* r = rows.const_data_ptr<float>() + 6 * i;
    const Box box{r[0], r[1], r[2], r[3], r[4]};
    proposals.push_back({box, bounds_of(box, AngleConvention::le90, Line::v0), r[5]});
  }
  run.check_regions(
      [&](const TwoStageHeads& heads, const Pyramid& levels, const Passage& passage) {
        return heads.classify(levels, proposals, passage);
      },
      "roi0.", {});
  run.check_second_line({});
}

}  // namespace
}  // namespace grasppanda::models::mmrotate
