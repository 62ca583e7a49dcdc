// MMRotate's RoI Transformer against the goldens: every stage, both stages of regions with the
// golden proposals, detections of both lines, with one forward pass.
#include "models/mmrotate/roi_transformer/roi_transformer.h"

#include <string>
#include <utility>
#include <vector>

#include "models/mmrotate/rotated_faster_rcnn/rotated_faster_rcnn.h"
#include "models/mmrotate/two_stage.h"
#include "models/weights.h"
#include "tests/catch.h"
#include "tests/models/mmrotate_two_stage.h"

namespace grasppanda::models::mmrotate {
namespace {

/// Rotated Faster R-CNN has no golden of its own, but its region head is RoI Transformer's first
/// one under another name, and sees the same proposals.
void check_rotated_faster(const tests::TwoStageRun& run, const std::filesystem::path& folder,
                          const std::vector<Proposal>& proposals) {
  const std::string first = "roi_head.bbox_head.0.", second = "roi_head.bbox_head.1.";
  std::vector<io::NamedArray> tensors;
  for (io::NamedArray& tensor :
       tests::golden_checkpoint(folder / "manifest.json", folder / "stats.npz").tensors) {
    if (tensor.key.starts_with(second)) continue;
    if (tensor.key.starts_with(first)) {
      tensor.key = "roi_head.bbox_head." + tensor.key.substr(first.size());
    }
    tensors.push_back(std::move(tensor));
  }
  CHECK(rotated_faster_rcnn::blueprint().recognises(tensors));
  const Weights weights(tensors);
  LayerSource source(weights, at::kCPU);
  const auto heads = rotated_faster_rcnn::blueprint().heads(source, tensors);
  Pyramid levels;
  for (std::size_t i = 0; i < levels.size(); ++i)
    levels[i] = run.stage("P" + std::to_string(i + 2));
  int records = 0;
  const StageObserver observe = [&](const std::string& stage, const at::Tensor& value) {
    if (!run.golden().has(stage)) return;
    CAPTURE(stage);
    const at::Tensor want = run.golden()(stage);
    REQUIRE(value.sizes() == want.sizes());
    CHECK((value - want).abs().max().item<double>() <=
          1e-3 * want.square().mean().sqrt().item<double>());
    ++records;
  };
  const Settings settings;
  Accounting accounting;
  const Passage passage{settings, resizing(600, 457, 1024), accounting, observe};
  const auto& two_stage = dynamic_cast<const TwoStageHeads&>(*heads);
  CHECK_FALSE(two_stage.classify(levels, proposals, passage).empty());
  CHECK(records == 2);
}

TEST_CASE("RoI Transformer of MMRotate meets the goldens", "[models][mmrotate]") {
  GP_NEED_DATA(folder, "goldens/mmrotate/roi_trans_le90");
  GP_NEED_DATA(picture_file, "goldens/mmrotate/images/demo_crop.png");
  // The first stage multiplies the error of an angle by 2 pi.
  const tests::MatchLimits limits{.pixels = 0.05, .radians = 5e-3, .score = 1e-3};
  tests::TwoStageRun run(roi_transformer::blueprint(), "roi_transformer", folder, picture_file,
                         "  angle_version: le90\ndetect: {score_threshold: 0.02}\n", limits);
  const at::Tensor want = run.golden()("proposals");
  const at::Tensor got = run.stage("proposals");
  REQUIRE(got.size(0) == want.size(0));
  const at::Tensor off = (got.unsqueeze(1) - want.unsqueeze(0)).abs();
  const at::Tensor pair = (off.narrow(2, 0, 4).amax(2) <= 0.05) & (off.select(2, 4) <= 1e-3);
  CHECK(pair.any(1).sum().item<std::int64_t>() >= want.size(0) * 98 / 100);

  std::vector<Proposal> proposals;
  const at::Tensor rows = want.contiguous();
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const float* r = rows.const_data_ptr<float>() + 5 * i;
    const Bounds bounds{r[0], r[1], r[2], r[3]};
    proposals.push_back({box_of(bounds), bounds, r[4]});
  }
  run.check_regions(
      [&](const TwoStageHeads& heads, const Pyramid& levels, const Passage& passage) {
        return heads.classify(levels, proposals, passage);
      },
      "roi0.", limits);
  // The second stage over the golden's regions: ours would differ by that angle.
  std::vector<Box> rois;
  const at::Tensor stored = run.golden()("roi1.rois").contiguous();
  for (std::int64_t i = 0; i < stored.size(0); ++i) {
    const float* r = stored.const_data_ptr<float>() + 6 * i + 1;
    rois.push_back({r[0], r[1], r[2], r[3], r[4]});
  }
  run.check_regions(
      [&](const TwoStageHeads& heads, const Pyramid& levels, const Passage& passage) {
        return dynamic_cast<const roi_transformer::RoiTransformerHeads&>(heads).refine(
            levels, rois, run.golden()("roi0.cls"), passage);
      },
      "roi1.", limits);
  run.check_second_line(limits);
  check_rotated_faster(run, folder, proposals);
}

}  // namespace
}  // namespace grasppanda::models::mmrotate
