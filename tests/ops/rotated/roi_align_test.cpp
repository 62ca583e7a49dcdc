#include "lib/ops/rotated/roi_align.h"

#include <cmath>
#include <limits>

#include "lib/ops/rotated/rotated_roi_align.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::FeaturePyramid;
using ops::RoiAlignVariant;
using ops::RoiKind;

double largest(const at::Tensor& difference) {
  REQUIRE(difference.numel() > 0);
  return difference.abs().max().item<double>();
}

/// A map whose value is 100 y + x at pixel (y, x): bilinear reading gives the point itself.
at::Tensor ramp(int64_t height, int64_t width) {
  return at::arange(height)
      .mul(100)
      .view({-1, 1})
      .add(at::arange(width).view({1, -1}))
      .to(at::kFloat)
      .view({1, 1, height, width});
}

TEST_CASE("roi_align: points of a ramp are the points themselves", "[rotated]") {
  const FeaturePyramid pyramid{{ramp(40, 50)}, {1}};
  // A box 14 wide and 7 high: cells of 2 x 1, their middles half a pixel back (aligned).
  const at::Tensor value =
      ops::roi_align(pyramid, at::tensor({10.0F, 20.0F, 24.0F, 27.0F}).view({1, 4}));
  for (int64_t row = 0; row < 7; ++row)
    for (int64_t column = 0; column < 7; ++column)
      CHECK(value[0][0][row][column].item<double>() ==
            Approx(100 * (20 + static_cast<double>(row)) + 10 + 2 * static_cast<double>(column) +
                   0.5));
}

TEST_CASE("rotated_roi_align: the box's own axes, both variants", "[rotated]") {
  const FeaturePyramid pyramid{{ramp(40, 50)}, {2}};
  for (const float angle : {0.0F, 0.4F, 2.0F, -1.3F}) {
    const at::Tensor box = at::tensor({50.0F, 40.0F, 28.0F, 14.0F, angle}).view({1, 5});
    const at::Tensor mean = ops::rotated_roi_align(pyramid, box, RoiAlignVariant::mmcv);
    const at::Tensor span = ops::rotated_roi_align(pyramid, box, RoiAlignVariant::oriented_det);
    for (int row = 0; row < 7; ++row)
      for (int column = 0; column < 7; ++column) {
        INFO("angle " << angle << " cell " << row << ", " << column);
        const auto point = [&](double u, double v) {  // of the box's half sides
          const double x = u * 14, y = v * 7;
          const double px = (50 + x * std::cos(angle) - y * std::sin(angle)) / 2 - 0.5;
          const double py = (40 + x * std::sin(angle) + y * std::cos(angle)) / 2 - 0.5;
          return 100 * py + px;
        };
        CHECK(mean[0][0][row][column].item<double>() ==
              Approx(point((column + 0.5) * 2 / 7 - 1, (row + 0.5) * 2 / 7 - 1)).margin(0.01));
        CHECK(span[0][0][row][column].item<double>() ==
              Approx(point(column / 3.0 - 1, row / 3.0 - 1)).margin(0.01));
      }
  }
}

TEST_CASE("roi_align: the border of the map", "[rotated]") {
  const FeaturePyramid pyramid{{at::ones({1, 3, 8, 8})}, {1}};
  const auto sum = [&](float x, float y, float side) {
    return ops::roi_align(pyramid, at::tensor({x, y, x + side, y + side}).view({1, 4}))
        .mean()
        .item<double>();
  };
  CHECK(sum(1, 1, 5) == Approx(1));
  CHECK(sum(-0.5F, -0.5F, 7) == Approx(1));  // up to one pixel outside the border goes on
  CHECK(sum(-40, -40, 7) == 0);
  CHECK(sum(3, 3, 0) == 0);
  CHECK(sum(3, 3, std::numeric_limits<float>::quiet_NaN()) == 0);
  CHECK(sum(3, 3, std::numeric_limits<float>::infinity()) == 0);
  CHECK(std::isfinite(sum(-1e30F, -1e30F, 2e30F)));
}

TEST_CASE("roi_align: every kernel returns the reference's bits", "[rotated]") {
  for (const auto& kernel : ops::roi_align_kernels().kernels_on(c10::kCPU))
    CHECK(ops::check_roi_align(kernel, at::kCPU) == "");
  const auto reference = ops::roi_align_reference;
  CHECK(ops::check_roi_align({"x",
                              {},
                              {},
                              [&](const at::Tensor& map, const at::Tensor& rows,
                                  const at::Tensor& batch, ops::RoiSampling sampling) {
                                sampling.options.sampling_ratio = 1;
                                return reference(map, rows, batch, sampling);
                              }},
                             at::kCPU) != "");
  const at::Tensor map = at::rand({2, 20, 40, 60});
  const at::Tensor boxes = ops::seeded_boxes(ops::BoxKind::aerial, 50, 3, 250);
  const at::Tensor batch = ops::seeded_labels(50, 2, 4);
  const FeaturePyramid pyramid{{map}, {4}};
  const at::Tensor want = ops::rotated_roi_align(pyramid, boxes, RoiAlignVariant::mmcv, batch);
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::rotated_roi_align(pyramid, boxes, RoiAlignVariant::mmcv, batch).equal(want));
  }
  const at::Tensor one = ops::rotated_roi_align(pyramid, boxes.narrow(0, 7, 1),
                                                RoiAlignVariant::mmcv, batch.narrow(0, 7, 1));
  CHECK(one.equal(want.narrow(0, 7, 1)));
  const FeaturePyramid strided{{map.transpose(2, 3).contiguous().transpose(2, 3)}, {4}};
  CHECK(ops::rotated_roi_align(strided, boxes, RoiAlignVariant::mmcv, batch).equal(want));
}

TEST_CASE("roi_align and rotated_roi_align: the package's features", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/roi_align.npz");
  const auto array = [&](const char* name) { return npz_tensor(file, name); };
  FeaturePyramid pyramid;
  const at::Tensor strides = array("strides");
  for (const char* name : {"feat0", "feat1", "feat2", "feat3"}) {
    pyramid.strides.push_back(
        static_cast<double>(strides[static_cast<int64_t>(pyramid.levels.size())].item<int64_t>()));
    pyramid.levels.push_back(array(name));
  }
  const at::Tensor boxes = array("boxes"), upright = array("boxes_xyxy");
  CHECK(ops::roi_levels(boxes.select(1, 2), boxes.select(1, 3), 4).equal(array("levels_rotated")));
  const auto side = [&](int64_t k) { return upright.select(1, k + 2).sub(upright.select(1, k)); };
  CHECK(ops::roi_levels(side(0), side(1), 4).equal(array("levels_horizontal")));
  CHECK(largest(ops::rotated_roi_align(pyramid, boxes, RoiAlignVariant::oriented_det) -
                array("rotated_align")) < 1e-4);
  CHECK(largest(ops::roi_align(pyramid, upright) - array("horizontal_align")) < 1e-4);
}

TEST_CASE(
    "rotated_roi_align: mmcv's features of Oriented R-CNN's proposals are finite and empty calls "
    "pass",
    "[rotated]") {
  const FeaturePyramid pyramid{{at::rand({1, 4, 16, 16}), at::rand({1, 4, 8, 8})}, {4, 8}};
  CHECK(ops::rotated_roi_align(pyramid, at::zeros({0, 5}), RoiAlignVariant::mmcv).sizes() ==
        at::IntArrayRef{0, 4, 7, 7});
  CHECK(ops::roi_align(pyramid, at::zeros({0, 4})).sizes() == at::IntArrayRef{0, 4, 7, 7});
  const at::Tensor bad = ops::seeded_boxes(ops::BoxKind::degenerate, 60, 8, 64);
  for (const RoiAlignVariant variant : {RoiAlignVariant::mmcv, RoiAlignVariant::oriented_det})
    CHECK(ops::rotated_roi_align(pyramid, bad, variant).isfinite().all().item<bool>());
}

TEST_CASE("roi_align: refused arguments", "[rotated]") {
  const FeaturePyramid pyramid{{at::rand({1, 4, 16, 16})}, {4}};
  const at::Tensor boxes = at::ones({2, 4});
  check_refused("roi_align", "boxes has shape (2, 5), wants (K, 4)", [&] {
    ops::roi_align(pyramid, at::ones({2, 5}));
  });
  check_refused("roi_align", "features hold no map", [&] { ops::roi_align({}, boxes); });
  check_refused("roi_align", "strides are 0", [&] { ops::roi_align({pyramid.levels, {}}, boxes); });
  check_refused("roi_align", "strides hold", [&] { ops::roi_align({pyramid.levels, {0}}, boxes); });
  check_refused("roi_align", "batch holds an index outside the batch", [&] {
    ops::roi_align(pyramid, boxes, at::tensor({0, 1}, at::kLong));
  });
  check_refused("roi_align", "boxes is Double",
                [&] { ops::roi_align(pyramid, boxes.to(at::kDouble)); });
  check_refused("rotated_roi_align", "boxes has shape (2, 4), wants (K, 5)",
                [&] { ops::rotated_roi_align(pyramid, boxes, RoiAlignVariant::mmcv); });
  check_refused("rotated_roi_align", "variant is 'torch'",
                [] { ops::parse_roi_align_variant("torch"); });
}

}  // namespace
}  // namespace grasppanda::tests
