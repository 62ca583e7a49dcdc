// MMRotate's Rotated FCOS against the goldens: every stage and the detections of both lines.
#include "models/mmrotate/rotated_fcos/rotated_fcos.h"

#include "models/weights.h"
#include "tests/catch.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::models::mmrotate {
namespace {

TEST_CASE("Rotated FCOS of MMRotate meets the goldens", "[models][mmrotate]") {
  GP_NEED_DATA(folder, "goldens/mmrotate/rotated_fcos_le90");
  GP_NEED_DATA(picture_file, "data/aerial/demo.png");
  const io::Checkpoint checkpoint =
      tests::golden_checkpoint(folder / "manifest.json", folder / "stats.npz");
  const config::Config config = tests::detector_config("rotated_fcos", "mmrotate");
  const auto detector = tests::load_detector(config, checkpoint);
  const tests::StageGolden golden(folder / "demo.npz");
  const at::Tensor picture = tests::rgb_picture(picture_file);
  tests::Stages stages;
  std::int64_t records = 0;
  detector->detect({&picture, 1}, [&](const std::string& stage, const at::Tensor& value) {
    if (golden.has(stage + ".shape")) {
      tests::check_places(value, golden, stage, stage == "input" ? 1e-7 : 1e-3);
      ++records;
    }
    stages.emplace(stage, value);
  });
  CHECK(records == 1 + 4 + 5 + 20);
  const tests::MatchLimits limits{.pixels = 0.1, .radians = 1e-3, .score = 1e-3};
  tests::check_detections(stages.at("dets"), stages.at("labels"), golden("dets"), golden("labels"),
                          limits);

  // Line 1.x from the maps of the same pass.
  std::vector<Candidate> candidates;
  std::int64_t stride = 8;
  for (int i = 0; i < 5; ++i, stride *= 2) {
    const std::string n = std::to_string(i);
    const FcosOutput maps{stages.at("head.cls." + n), stages.at("head.reg." + n),
                          stages.at("head.angle." + n), stages.at("head.ctr." + n)};
    add_candidates(rotated_fcos::level_of(maps, stride, AngleConvention::le90), Line::v1, 0.05F,
                   candidates);
  }
  for (Candidate& c : candidates) c.box = in_picture(c.box, resizing(1024, 1024, 1024), Line::v1);
  const std::vector<Candidate> found = suppress(candidates, DetectSettings{});
  std::vector<std::int64_t> labels;
  for (const Candidate& c : found) labels.push_back(c.label);
  const tests::StageGolden second(folder / "demo_line1x.npz");
  tests::check_detections(rows_of(found), at::tensor(labels), second("dets"), second("labels"),
                          limits);
}

}  // namespace
}  // namespace grasppanda::models::mmrotate
