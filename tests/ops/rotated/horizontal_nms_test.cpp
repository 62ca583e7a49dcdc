#include "lib/ops/rotated/horizontal_nms.h"

#include <cmath>
#include <map>

#include "lib/ops/rotated/enclosing_boxes.h"
#include "lib/ops/rotated/hbb_nms.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

at::Tensor numbers(std::vector<int64_t> values) {
  return at::tensor(values, at::kLong);
}

TEST_CASE("horizontal_nms: squares in a row", "[rotated]") {
  // Neighbours share 1/3; the last box is turned inside out and meets nothing.
  const at::Tensor boxes = at::tensor({0.0F, 0.0F, 2.0F, 2.0F, 1.0F, 0.0F, 3.0F, 2.0F, 2.0F, 0.0F,
                                       4.0F, 2.0F, 4.0F, 2.0F, 2.0F, 0.0F})
                               .view({4, 4});
  const at::Tensor scores = at::tensor({0.9F, 0.8F, 0.7F, 0.6F});
  CHECK(ops::horizontal_nms(boxes, scores, 0.3).equal(numbers({0, 2, 3})));
  CHECK(ops::horizontal_nms(boxes, scores, 0.34).equal(numbers({0, 1, 2, 3})));
  CHECK(ops::horizontal_nms(boxes, scores, 0.3, 1).equal(numbers({0})));
  CHECK(ops::horizontal_nms(boxes, at::ones({4}), 0.0).equal(numbers({0, 2, 3})));
  CHECK(ops::horizontal_nms(at::zeros({0, 4}), at::zeros({0}), 0.5).numel() == 0);
}

TEST_CASE("horizontal_nms: against loops", "[rotated]") {
  int64_t kept_in_all = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    const auto kind = seed % 3 == 0 ? ops::BoxKind::lattice : ops::BoxKind::clusters;
    const at::Tensor boxes = ops::enclosing_boxes(
        ops::seeded_boxes(seed % 4 == 0 ? ops::BoxKind::degenerate : kind, 300, seed, 300));
    const at::Tensor scores = ops::seeded_scores(300, seed);
    const double threshold = 0.1 * static_cast<double>(seed % 8);
    const at::Tensor order = std::get<1>(scores.sort(true, 0, true));
    const float* rows = boxes.const_data_ptr<float>();
    std::vector<int64_t> want;
    for (int64_t k = 0; k < 300; ++k) {
      const int64_t j = order[k].item<int64_t>();
      const float* b = rows + 4 * j;
      bool stays = true;
      for (const int64_t i : want) {
        const float* a = rows + 4 * i;
        const float w = std::max(0.0F, std::min(a[2], b[2]) - std::max(a[0], b[0]));
        const float h = std::max(0.0F, std::min(a[3], b[3]) - std::max(a[1], b[1]));
        const float areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]);
        if (w * h / (areas - w * h) > static_cast<float>(threshold)) stays = false;
      }
      if (stays) want.push_back(j);
    }
    INFO("seed " << seed);
    REQUIRE(ops::horizontal_nms(boxes, scores, threshold).equal(numbers(want)));
    kept_in_all += static_cast<int64_t>(want.size());
  }
  CHECK(kept_in_all > 500);
  CHECK(kept_in_all < 24 * 280);
}

TEST_CASE("hbb_nms keeps what the package keeps", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/nms.npz");
  const auto array = [&](const std::string& name) { return npz_tensor(file, name); };
  for (const std::string set : {"dense", "sparse", "clusters", "thin", "ties", "chain", "one",
                                "identical_equal_scores", "threshold_edge", "big5000"})
    for (const auto& [name, threshold] : std::map<std::string, double>{
             {"0", 0}, {"0.1", 0.1}, {"0.3", 0.3}, {"0.5", 0.5}, {"0.7", 0.7}, {"1", 1}}) {
      INFO(set << " at " << name);
      CHECK(ops::hbb_nms(array(set + "_boxes"), array(set + "_scores"), threshold)
                .equal(array(set + "_hbb_" + name)));
    }
}

TEST_CASE("enclosing boxes and their overlaps: the package's numbers", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/matrix.npz");
  const auto array = [&](const char* name) { return npz_tensor(file, name); };
  const at::Tensor first = ops::enclosing_boxes(array("boxes1"));
  const at::Tensor second = ops::enclosing_boxes(array("boxes2"));
  CHECK(first.sub(array("hbb1")).abs().max().item<double>() < 2e-4);
  CHECK(second.sub(array("hbb2")).abs().max().item<double>() < 2e-4);
  CHECK(ops::horizontal_iou(first, second).sub(array("hbb_iou")).abs().max().item<double>() < 1e-5);
}

TEST_CASE("horizontal_nms and hbb_nms: refused arguments", "[rotated]") {
  const at::Tensor boxes = at::ones({2, 4}), scores = at::ones({2});
  check_refused("horizontal_nms", "boxes has shape (2, 5)", [&] {
    ops::horizontal_nms(at::ones({2, 5}), scores, 0.5);
  });
  check_refused("horizontal_nms", "scores has a NaN at 1", [&] {
    ops::horizontal_nms(boxes, at::tensor({0.5F, std::nanf("")}), 0.5);
  });
  check_refused("horizontal_nms", "iou_threshold is NaN",
                [&] { ops::horizontal_nms(boxes, scores, std::nan("")); });
  check_refused("hbb_nms", "boxes has shape (2, 4)", [&] { ops::hbb_nms(boxes, scores, 0.5); });
}

}  // namespace
}  // namespace grasppanda::tests
