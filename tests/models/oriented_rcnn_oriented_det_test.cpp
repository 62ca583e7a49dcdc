// oriented-det's two-stage detectors against the goldens, with one forward pass each: proposals,
// and regions from the stored proposals.
#include <vector>

#include "models/oriented_det/oriented_rcnn/oriented_rcnn.h"
#include "models/oriented_det/rotated_faster_rcnn/rotated_faster_rcnn.h"
#include "models/oriented_det/two_stage.h"
#include "models/weights.h"
#include "tests/catch.h"
#include "tests/models/oriented_det_goldens.h"

namespace grasppanda::models::oriented_det {
namespace {

std::vector<Proposal> proposals_of(const at::Tensor& stored) {
  const at::Tensor rows = stored.contiguous();
  const std::int64_t width = rows.size(1);
  std::vector<Proposal> proposals;
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const float* r = rows.const_data_ptr<float>() + width * i;
    proposals.push_back(
        {width == 5 ? Box{r[0], r[1], r[2], r[3], r[4]}
                    : Box{(r[0] + r[2]) / 2, (r[1] + r[3]) / 2, r[2] - r[0], r[3] - r[1], 0},
         0});
  }
  return proposals;
}

/// Share of rows that have a partner within 0.1 pixels.
double shared_rows(const at::Tensor& got, const at::Tensor& want) {
  std::int64_t matched = 0;
  for (std::int64_t i = 0; i < got.size(0); ++i) {
    const at::Tensor off = (want.narrow(1, 0, 4) - got[i].narrow(0, 0, 4)).abs().amax(1);
    matched += off.min().item<float>() <= 0.1F;
  }
  return static_cast<double>(matched) / static_cast<double>(got.size(0));
}

void check_two_stage(const Blueprint& blueprint, const std::string& name,
                     const std::filesystem::path& folder, const std::filesystem::path& picture) {
  const tests::PackageRun run(name, folder, picture);
  const tests::StageGolden& golden = run.golden();
  const at::Tensor want = golden("proposals").to(at::kFloat);
  const at::Tensor& got = run.stage("proposals");
  CAPTURE(got.size(0), want.size(0));
  CHECK(std::abs(got.size(0) - want.size(0)) <= want.size(0) / 100);
  CHECK(shared_rows(got, want) >= 0.98);

  const Weights weights(run.checkpoint().tensors);
  LayerSource source(weights, at::kCPU);
  const std::unique_ptr<Heads> heads = blueprint.heads(source, run.checkpoint().tensors);
  const auto& two_stage = dynamic_cast<const TwoStageHeads&>(*heads);
  const Settings settings = read_settings(blueprint, run.config(), run.checkpoint(), at::kCPU);
  Pyramid levels;
  for (std::size_t i = 0; i < 5; ++i) levels[i] = run.stage("fpn" + std::to_string(i));
  Accounting accounting;
  const StageObserver observe = [&](const std::string& stage, const at::Tensor& value) {
    CAPTURE(stage);
    if (stage == "roi_features") {
      const at::Tensor rows = golden("roi_features");
      const at::Tensor here =
          value.index_select(0, golden("roi_feature_indices").to(at::kLong)).slice(1, 0, 256, 16);
      REQUIRE(here.sizes() == rows.sizes());
      CHECK((here - rows).abs().max().item<double>() <= 1e-3 * rows.abs().max().item<double>());
    } else {
      const at::Tensor rows = golden(stage);
      REQUIRE(value.sizes() == rows.sizes());
      CHECK((value - rows).abs().max().item<double>() <= 1e-3 * rows.abs().max().item<double>());
    }
  };
  const Passage passage{settings, run.stage("input"), accounting, observe};
  const auto found = two_stage.classify(levels, proposals_of(want), passage);
  tests::check_overlaps(boxes_of(found), scores_of(found), labels_of(found), golden, "");
}

TEST_CASE("Oriented R-CNN of oriented-det meets the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(folder, "goldens/oriented_det");
  GP_NEED_DATA(picture, "data/aerial/demo.png");
  check_two_stage(oriented_rcnn::blueprint(), "oriented_rcnn", folder, picture);
}

TEST_CASE("Rotated Faster R-CNN of oriented-det meets the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(folder, "goldens/oriented_det");
  GP_NEED_DATA(picture, "data/aerial/demo.png");
  check_two_stage(rotated_faster_rcnn::blueprint(), "rotated_faster_rcnn", folder, picture);
}

}  // namespace
}  // namespace grasppanda::models::oriented_det
