// oriented-det's single-stage detectors against the goldens, with one forward pass each.
#include "models/oriented_det/rotated_retinanet/rotated_retinanet.h"

#include <vector>

#include "models/oriented_det/priors.h"
#include "tests/catch.h"
#include "tests/models/oriented_det_goldens.h"

namespace grasppanda::models::oriented_det {
namespace {

/// The stored candidates, suppressed by the sampled overlap.
std::vector<Candidate> sampled(const tests::StageGolden& golden, std::int64_t most_before) {
  const at::Tensor boxes = golden("pre_nms_boxes").contiguous();
  const at::Tensor scores = golden("pre_nms_scores"), labels = golden("pre_nms_labels");
  std::vector<Candidate> candidates;
  for (std::int64_t i = 0; i < boxes.size(0); ++i) {
    const float* b = boxes.const_data_ptr<float>() + 5 * i;
    candidates.push_back({{b[0], b[1], b[2], b[3], b[4]},
                          scores.const_data_ptr<float>()[i],
                          static_cast<std::int32_t>(labels.const_data_ptr<std::int64_t>()[i] - 1)});
  }
  DetectSettings settings;
  settings.nms_method = SuppressionMethod::sampled;
  return suppress(candidates, settings, {.most_before = most_before, .most = 3000});
}

TEST_CASE("Rotated RetinaNet of oriented-det meets the goldens", "[models][oriented_det]") {
  GP_NEED_DATA(folder, "goldens/oriented_det");
  GP_NEED_DATA(picture, "data/aerial/demo.png");
  const tests::PackageRun run("rotated_retinanet", folder, picture);
  const AnchorGrid grid = retina_anchors(8, 128);
  std::vector<Candidate> first;
  for (std::int64_t i = 0; i < 40; ++i) first.push_back({grid[i], 0, 0});
  CHECK((boxes_of(first) - run.golden()("anchors_first")).abs().max().item<float>() <= 1e-4F);
  const at::Tensor& before = run.stage("pre_nms_boxes");
  CHECK(std::abs(before.size(0) - run.golden()("pre_nms_boxes").size(0)) <= 3);

  const std::vector<Candidate> kept = sampled(run.golden(), 2000);
  tests::check_overlaps(boxes_of(kept), scores_of(kept), labels_of(kept), run.golden(),
                        "_sampled_nms");
}

}  // namespace
}  // namespace grasppanda::models::oriented_det
