// MMRotate's Rotated RetinaNet against the goldens: input, every stage, candidates and detections
// of both lines, with one forward pass.
#include "models/mmrotate/rotated_retinanet/rotated_retinanet.h"

#include <ATen/Parallel.h>

#include "tests/catch.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::models::mmrotate {
namespace {

using tests::Stages;

/// Detections of line 1.x from the maps of the heads.
std::vector<Candidate> by_second_line(const Stages& stages, const Resizing& size) {
  std::vector<Candidate> candidates;
  const PictureSize picture{static_cast<float>(size.resized_width),
                            static_cast<float>(size.resized_height)};
  std::int64_t stride = 8;
  for (int i = 0; i < 5; ++i, stride *= 2) {
    const std::string number = std::to_string(i);
    add_candidates(rotated_retinanet::level_of(stages.at("head.cls." + number),
                                               stages.at("head.reg." + number), stride, picture,
                                               AngleConvention::le90, Line::v1),
                   Line::v1, 0.05F, candidates);
  }
  for (Candidate& c : candidates) c.box = in_picture(c.box, size, Line::v1);
  return suppress(candidates, DetectSettings{});
}

void check_first_candidates(const Stages& stages, const tests::StageGolden& golden) {
  const DenseLevel level =
      rotated_retinanet::level_of(stages.at("head.cls.0"), stages.at("head.reg.0"), 8, {1024, 1024},
                                  AngleConvention::le90, Line::v0);
  const std::vector<std::int64_t> priors = best_priors(level);
  REQUIRE(priors.size() == 2000);
  std::vector<Candidate> first;
  for (std::size_t i = 0; i < 1000; ++i) {
    const float best = level.logits[priors[i]].max().item<float>();
    first.push_back({level.decode(priors[i]), sigmoid(best), 0});
  }
  const at::Tensor none = at::zeros({1000}, at::kLong);
  const at::Tensor want = at::cat(
      {golden("prenms.boxes.first1000"), golden("prenms.scores.max.first1000").unsqueeze(1)}, 1);
  const tests::Unmatched left = tests::unmatched(rows_of(first), none, want, none, {});
  CHECK(left.got <= 10);
}

TEST_CASE("Rotated RetinaNet of MMRotate meets the goldens", "[models][mmrotate]") {
  GP_NEED_DATA(folder, "goldens/mmrotate/rotated_retinanet_le90");
  GP_NEED_DATA(picture_file, "data/aerial/demo.png");
  const io::Checkpoint checkpoint =
      tests::golden_checkpoint(folder / "manifest.json", folder / "stats.npz");
  const auto detector = tests::load_detector(
      tests::detector_config("rotated_retinanet", "auto", "  angle_version: le90\n"), checkpoint);
  CHECK(detector->info().classes.at(4) == "small-vehicle");
  const tests::StageGolden golden(folder / "demo.npz");
  const at::Tensor picture = tests::rgb_picture(picture_file);

  Stages stages;
  std::int64_t records = 0;
  const auto outputs =
      detector->detect({&picture, 1}, [&](const std::string& stage, const at::Tensor& value) {
        if (golden.has(stage + ".shape")) {
          tests::check_places(value, golden, stage, stage == "input" ? 1e-7 : 1e-3);
          ++records;
        }
        if (stage.starts_with("head.") || stage == "dets" || stage == "labels") {
          stages.emplace(stage, value);
        }
      });
  CHECK(records == 1 + 4 + 5 + 10);
  check_first_candidates(stages, golden);
  std::map<std::string, std::int64_t> counts(outputs[0].accounting.counts.begin(),
                                             outputs[0].accounting.counts.end());
  CHECK(std::abs(counts.at("above_threshold") - golden("prenms.n_over_thr").item<std::int64_t>()) <=
        2);
  tests::check_detections(stages.at("dets"), stages.at("labels"), golden("dets"), golden("labels"));
  CHECK(outputs[0].detections.size() == static_cast<std::size_t>(stages.at("dets").size(0)));

  const tests::StageGolden second(folder / "demo_line1x.npz");
  const std::vector<Candidate> found = by_second_line(stages, resizing(1024, 1024, 1024));
  std::vector<std::int64_t> labels;
  for (const Candidate& c : found) labels.push_back(c.label);
  tests::check_detections(rows_of(found), at::tensor(labels), second("dets"), second("labels"));
}

}  // namespace
}  // namespace grasppanda::models::mmrotate
