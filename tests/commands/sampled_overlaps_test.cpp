// Sampled overlaps of the evaluation: those of the operator, and what becomes of them.
#include "app/commands/sampled_overlaps.h"

#include <cstdlib>

#include "lib/ops/errors.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using geometry::RotatedBox;

std::vector<RotatedBox> made_boxes(std::size_t count, double shift) {
  std::vector<RotatedBox> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const double k = static_cast<double>(i);
    boxes.push_back({shift + 3 * k, 10 + k, 12 + 0.5 * k, 6 + 0.25 * k, 0.3 * k});
  }
  return boxes;
}

at::Tensor tensor_of(const std::vector<RotatedBox>& boxes) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(boxes.size()), 5}, at::kDouble);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const RotatedBox& b = boxes[i];
    const double values[] = {b.cx, b.cy, b.w, b.h, b.angle};
    for (std::int64_t k = 0; k < 5; ++k) rows[static_cast<std::int64_t>(i)][k] = values[k];
  }
  return rows.to(at::kFloat);
}

eval::ClassPrecision ship_precision(const geometry::Quad& object, const geometry::Quad& found,
                                    const eval::BoxOverlaps& overlaps) {
  const std::vector<eval::ClassBoxes> classes = {{"ship", {{object, 0, false}}, {{found, 0, 0.9}}}};
  return eval::mean_average_precision(classes, {.thresholds = {0.4}, .overlaps = overlaps})[0]
      .classes[0];
}

}  // namespace

TEST_CASE("sampled overlaps are those of the operator, bit for bit") {
  const std::vector<RotatedBox> detections = made_boxes(37, 0), objects = made_boxes(23, 8);
  const std::vector<float> table = app::sampled_overlaps()(detections, objects);
  const at::Tensor wanted =
      ops::sampled_iou(tensor_of(detections), tensor_of(objects)).contiguous();
  REQUIRE(table.size() == 37 * 23);
  CHECK((wanted > 0).sum().item<std::int64_t>() > 50);
  CHECK(std::equal(table.begin(), table.end(), wanted.const_data_ptr<float>()));
  CHECK(app::sampled_overlaps()({}, objects).empty());
}

TEST_CASE("a pair on whose overlap samples and area disagree") {
  // Two squares of side 10, moved by half of it: 1/3 by area. Of the 5 columns of samples 3 count,
  // the one on the edge included: 60 / 140.
  const geometry::Quad object = {{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};
  const geometry::Quad found = {{{5, 0}, {15, 0}, {15, 10}, {5, 10}}};
  CHECK(ship_precision(object, found, {}).tp == 0);
  CHECK(ship_precision(object, found, app::sampled_overlaps()).tp == 1);
  CHECK(app::sampled_overlaps()(std::vector<RotatedBox>{{10, 5, 10, 10, 0}},
                                std::vector<RotatedBox>{{5, 5, 10, 10, 0}})[0] ==
        Approx(60.0 / 140).epsilon(1e-6));
}

TEST_CASE("settings of the samples that are none are told before anything is evaluated") {
  constexpr const char* kVariable = "ORIENTED_DET_GPU_ORIENTED_IOU_MIN_SAMPLES";
  REQUIRE(::setenv(kVariable, "50", 1) == 0);
  CHECK_THROWS_AS(app::sampled_overlaps(), ops::ArgumentError);
  REQUIRE(::setenv(kVariable, "400", 1) == 0);
  const float finer = app::sampled_overlaps()(std::vector<RotatedBox>{{10, 5, 10, 10, 0}},
                                              std::vector<RotatedBox>{{5, 5, 10, 10, 0}})[0];
  ::unsetenv(kVariable);
  CHECK(finer == Approx(1.0 / 3).epsilon(0.02));  // 20 columns, none on the edge
}

}  // namespace grasppanda::tests
