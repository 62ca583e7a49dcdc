#include "tests/models/oriented_det_goldens.h"

#include <algorithm>

#include "lib/ops/rotated/rotated_iou.h"

namespace grasppanda::tests {

PackageRun::PackageRun(const std::string& name, const std::filesystem::path& goldens,
                       const std::filesystem::path& picture)
    : golden_(goldens / ("demo_" + name + ".npz")),
      checkpoint_(
          golden_checkpoint(goldens / (name + "_manifest.json"), goldens / (name + "_stats.npz"))),
      config_(detector_config(
          name, "auto", name == "rotated_faster_rcnn" ? "detect: {max_detections: 2000}\n" : "")) {
  const auto detector = load_detector(config_, checkpoint_);
  const at::Tensor rgb = rgb_picture(picture);
  int records = 0;
  const auto outputs =
      detector->detect({&rgb, 1}, [&](const std::string& stage, const at::Tensor& value) {
        if (golden_.has(stage + ".rows")) {
          check_rows(value, golden_, stage);
          ++records;
        }
        stages_.emplace(stage, value);
      });
  CHECK(records >= 1 + 4 + 5 + 10);
  CHECK(outputs.front().detections.size() ==
        static_cast<std::size_t>(stages_.at("det_boxes").size(0)));
  check_overlaps(stages_.at("det_boxes"), stages_.at("det_scores"), stages_.at("det_labels"),
                 golden_, "");
}

void check_rows(const at::Tensor& got, const StageGolden& golden, const std::string& name) {
  CAPTURE(name);
  REQUIRE(golden(name + ".shape").equal(at::tensor(got.sizes(), at::kLong)));
  const at::Tensor places = golden(name + ".positions_yx");
  const at::Tensor rows = golden(name + ".rows");
  const double most = golden(name + ".absmax").item<double>();
  for (std::int64_t i = 0; i < places.size(0); ++i) {
    const at::Tensor here = got[0]
                                .select(1, places[i][0].item<std::int64_t>())
                                .select(1, places[i][1].item<std::int64_t>());
    CHECK((here - rows[i]).abs().max().item<double>() <= 1e-3 * most);
  }
  const double mean = got.mean(at::kDouble).item<double>();
  CHECK(std::abs(mean - golden(name + ".mean").item<double>()) <=
        1e-4 * golden(name + ".std").item<double>());
}

void check_overlaps(const at::Tensor& boxes, const at::Tensor& scores, const at::Tensor& labels,
                    const StageGolden& golden, const std::string& suffix) {
  const at::Tensor want = golden("det_boxes" + suffix).to(at::kFloat);
  const at::Tensor want_scores = golden("det_scores" + suffix);
  const at::Tensor want_labels = golden("det_labels" + suffix);
  CAPTURE(boxes.size(0), want.size(0));
  REQUIRE(boxes.size(0) > 0);
  const at::Tensor pairs =
      (ops::rotated_iou(boxes.to(at::kFloat).contiguous(), want.contiguous()) > 0.99) &
      ((scores.unsqueeze(1) - want_scores.unsqueeze(0)).abs() < 1e-3) &
      (labels.unsqueeze(1) == want_labels.unsqueeze(0));
  const auto share = [](const at::Tensor& matched) {
    return matched.to(at::kDouble).mean().item<double>();
  };
  CHECK(share(pairs.any(1)) >= 0.99);
  CHECK(share(pairs.any(0)) >= 0.99);
}

}  // namespace grasppanda::tests
