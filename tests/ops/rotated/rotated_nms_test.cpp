#include "lib/ops/rotated/rotated_nms.h"

#include <cmath>
#include <limits>
#include <set>

#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::BoxKind;
using ops::DegenerateBoxes;
using ops::IouMethod;

at::Tensor numbers(std::vector<int64_t> values) {
  return at::tensor(values, at::kLong);
}

/// Unit squares in a row, each `step` further right: neighbours have IoU (1 - step) / (1 + step).
at::Tensor row_of_squares(int64_t count, double step) {
  at::Tensor boxes = at::zeros({count, 5});
  boxes.select(1, 0).copy_(at::arange(count).mul(step));
  boxes.narrow(1, 2, 2).fill_(1);
  return boxes;
}

TEST_CASE("rotated_nms: hand-made rows of squares", "[rotated]") {
  const at::Tensor boxes = row_of_squares(5, 0.5);  // neighbours 1/3, next but one 0
  const at::Tensor falling = at::tensor({0.9F, 0.8F, 0.7F, 0.6F, 0.5F});
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.3}).equal(numbers({0, 2, 4})));
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.34}).equal(numbers({0, 1, 2, 3, 4})));
  // A suppressed box suppresses nothing: 0 removes 1, so 2 stays.
  CHECK(
      ops::rotated_nms(boxes, falling.flip({0}), {.iou_threshold = 0.3}).equal(numbers({4, 2, 0})));
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.3, .max_detections = 2})
            .equal(numbers({0, 2})));
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.3, .max_detections = 0}).numel() == 0);
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.3}, numbers({0, 1, 0, 1, 0}))
            .equal(numbers({0, 1, 2, 3, 4})));
  CHECK(ops::rotated_nms(boxes, falling, {.iou_threshold = 0.3}, numbers({7, 7, -7, -7, 7}))
            .equal(numbers({0, 2, 4})));
  // Boxes that touch share nothing, even at threshold 0.
  const at::Tensor touching = row_of_squares(4, 1);
  CHECK(
      ops::rotated_nms(touching, at::ones({4}), {.iou_threshold = 0}).equal(numbers({0, 1, 2, 3})));
  CHECK(ops::rotated_nms(touching, at::ones({4}), {.iou_threshold = 0, .at_equality = true})
            .equal(numbers({0})));
}

TEST_CASE("rotated_nms: equality at the threshold", "[rotated]") {
  // (0, 0, 4, 2) and (2, 0, 4, 2) share 4 of 12: a third, which is no float; halves are.
  at::Tensor boxes = at::zeros({2, 5});
  boxes.select(1, 2).copy_(at::tensor({4.0F, 2.0F}));
  boxes.select(1, 3).fill_(2);
  const at::Tensor scores = at::tensor({0.5F, 0.5F});
  CHECK(ops::rotated_nms(boxes, scores, {.iou_threshold = 0.5}).equal(numbers({0, 1})));
  CHECK(ops::rotated_nms(boxes, scores, {.iou_threshold = 0.5, .at_equality = true})
            .equal(numbers({0})));
  CHECK(ops::rotated_nms(boxes, scores, {.iou_threshold = std::nextafter(0.5, 0)})
            .equal(numbers({0})));
}

TEST_CASE("rotated_nms: every kernel against loops over the matrix of overlaps", "[rotated]") {
  uint64_t seed = 0;
  int64_t kept_in_all = 0, boxes_in_all = 0;
  for (const auto& kernel : ops::rotated_nms_kernels().kernels_on(c10::kCPU)) {
    CHECK(ops::check_rotated_nms(kernel, at::kCPU) == "");
    for (const BoxKind kind : {BoxKind::aerial, BoxKind::clusters, BoxKind::lattice,
                               BoxKind::slivers, BoxKind::far_out, BoxKind::degenerate})
      for (const int64_t count : {1, 5, 40, 300})
        for (const double threshold : {0.0, 0.1, 0.5, 1.0}) {
          const at::Tensor boxes = ops::seeded_boxes(kind, count, ++seed, 200);
          const at::Tensor groups =
              ops::seeded_labels(count, 1 + static_cast<int64_t>(seed % 3), seed);
          const ops::SuppressionRule rule{threshold, threshold > 0 && seed % 2 == 0};
          INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " count "
                           << count << " threshold " << threshold);
          const at::Tensor wide = boxes.to(at::kDouble);
          const at::Tensor iou =
              ops::rotated_iou_reference(wide, wide, false, ops::OverlapRatio::iou);
          const double* ious = iou.const_data_ptr<double>();
          const int64_t* group = groups.const_data_ptr<int64_t>();
          std::vector<int64_t> want;
          for (int64_t j = 0; j < count; ++j) {
            bool stays = true;
            for (const int64_t i : want) {
              const double value = ious[i * count + j];
              if (group[i] == group[j] &&
                  (rule.at_equality ? value >= threshold : value > threshold))
                stays = false;
            }
            if (stays) want.push_back(j);
          }
          REQUIRE(kernel.run(boxes, groups, rule).equal(numbers(want)));
          kept_in_all += static_cast<int64_t>(want.size());
          boxes_in_all += count;
        }
  }
  CHECK(kept_in_all * 3 > boxes_in_all);
  CHECK(kept_in_all * 10 < boxes_in_all * 9);
}

TEST_CASE("rotated_nms: keeping to the fixpoint keeps the same boxes as one after the other",
          "[rotated]") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const at::Tensor boxes = ops::seeded_boxes(BoxKind::clusters, 200, seed, 256);
    const at::Tensor iou = ops::rotated_iou(boxes.to(at::kDouble), boxes.to(at::kDouble));
    const at::Tensor suppresses = iou.gt(0.3).triu(1);
    at::Tensor keep = at::ones({200}, at::kBool);
    int rounds = 0;
    for (at::Tensor next;; keep = next, ++rounds) {
      next = suppresses.logical_and(keep.unsqueeze(1)).any(0).logical_not();
      if (next.equal(keep)) break;
      REQUIRE(rounds <= 200);
    }
    CHECK(ops::rotated_nms_reference(boxes, at::zeros({200}, at::kLong), {0.3, false})
              .equal(keep.nonzero().squeeze(1)));
    CHECK(rounds > 1);
  }
}

TEST_CASE("rotated_nms: order of input, threads and shifts of classes", "[rotated]") {
  const at::Tensor boxes = ops::seeded_boxes(BoxKind::clusters, 900, 5, 2048);
  const at::Tensor scores = at::randperm(900).to(at::kFloat);
  const at::Tensor labels = ops::seeded_labels(900, 4, 6);
  const at::Tensor kept = ops::rotated_nms(boxes, scores, {}, labels);
  const at::Tensor order = at::randperm(900);
  const at::Tensor shuffled =
      ops::rotated_nms(boxes.index_select(0, order), scores.index_select(0, order), {},
                       labels.index_select(0, order));
  CHECK(order.index_select(0, shuffled).equal(kept));
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::rotated_nms(boxes, scores, {}, labels).equal(kept));
  }
  // Class by class, one call each.
  std::set<int64_t> single;
  for (int64_t label = 0; label < 4; ++label) {
    const at::Tensor members = labels.eq(label).nonzero().squeeze(1);
    const at::Tensor places =
        ops::rotated_nms(boxes.index_select(0, members), scores.index_select(0, members), {});
    for (int64_t k = 0; k < places.numel(); ++k)
      single.insert(members[places[k].item<int64_t>()].item<int64_t>());
  }
  std::set<int64_t> together;
  for (int64_t k = 0; k < kept.numel(); ++k) together.insert(kept[k].item<int64_t>());
  CHECK(single == together);
}

TEST_CASE("rotated_nms: boxes without a polygon", "[rotated]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  at::Tensor boxes = at::tensor({50.0F, 50.0F, 40.0F, 20.0F, 0.1F}).repeat({3, 1});
  boxes[1][0] = 500;
  boxes[2][0] = kNan;
  const at::Tensor scores = at::tensor({0.1F, 0.2F, 0.3F});
  CHECK(ops::rotated_nms(boxes, scores, {}).equal(numbers({1, 0})));
  CHECK(ops::rotated_nms(boxes, scores, {.degenerate = DegenerateBoxes::keep})
            .equal(numbers({2, 1, 0})));
  const auto refused = [&](int64_t column, float value) {
    at::Tensor bad = boxes.clone();
    bad[1][column] = value;
    check_refused("rotated_nms", "row 1", [&] { ops::rotated_nms(bad, scores, {}); });
    CHECK(ops::rotated_nms(bad, scores, {.degenerate = DegenerateBoxes::keep}).numel() == 3);
  };
  refused(2, 0);
  refused(3, -1);
  refused(4, std::numeric_limits<float>::infinity());
}

TEST_CASE("rotated_nms: empty calls and refused arguments", "[rotated]") {
  const at::Tensor boxes = row_of_squares(3, 2), scores = at::ones({3});
  CHECK(ops::rotated_nms(at::zeros({0, 5}), at::zeros({0}), {}).numel() == 0);
  check_refused("rotated_nms", "scores has shape (2,), wants (3,)",
                [&] { ops::rotated_nms(boxes, at::ones({2}), {}); });
  check_refused("rotated_nms", "labels has shape (2,)", [&] {
    ops::rotated_nms(boxes, scores, {}, numbers({1, 2}));
  });
  check_refused("rotated_nms", "labels is Float",
                [&] { ops::rotated_nms(boxes, scores, {}, at::ones({3})); });
  check_refused("rotated_nms", "scores has a NaN at 0",
                [&] { ops::rotated_nms(boxes, scores.mul(std::nan("")), {}); });
  for (const double threshold : {-0.1, 1.1, std::nan("")})
    check_refused("rotated_nms", "iou_threshold is",
                  [&] { ops::rotated_nms(boxes, scores, {.iou_threshold = threshold}); });
  check_refused("rotated_nms", "max_detections is -1",
                [&] { ops::rotated_nms(boxes, scores, {.max_detections = -1}); });
}

TEST_CASE("rotated_nms keeps what the package keeps, exact", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/nms.npz");
  const auto array = [&](const std::string& name) { return npz_tensor(file, name); };
  int compared = 0;
  for (const std::string set : {"dense", "sparse", "clusters", "thin", "ties", "chain", "one",
                                "identical_equal_scores", "threshold_edge", "big5000"}) {
    const at::Tensor boxes = array(set + "_boxes"), scores = array(set + "_scores");
    for (const auto& [name, threshold] : std::map<std::string, double>{
             {"0", 0}, {"0.1", 0.1}, {"0.3", 0.3}, {"0.5", 0.5}, {"0.7", 0.7}, {"1", 1}}) {
      INFO(set << " at " << name);
      CHECK(ops::rotated_nms(boxes, scores, {.iou_threshold = threshold})
                .equal(array(set + "_exact_" + name)));
      ++compared;
      if (set == "dense" || set == "clusters")
        if (name == "0.1" || name == "0.3" || name == "0.5")
          CHECK(
              ops::rotated_nms(boxes, scores, {.iou_threshold = threshold}, array(set + "_labels"))
                  .equal(array(set + "_classaware_exact_" + name)));
    }
    for (const int64_t cap : {5, 20})
      CHECK(ops::rotated_nms(boxes, scores, {.iou_threshold = 0.3, .max_detections = cap})
                .equal(array(set + "_exact_0.3_max" + std::to_string(cap))));
  }
  CHECK(compared == 60);
}

}  // namespace
}  // namespace grasppanda::tests
