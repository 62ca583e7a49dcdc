#include "lib/ops/rotated/match_anchors.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/ops/rotated/convex_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

using ops::MatchMode;
using ops::MatchOptions;

at::Tensor numbers(std::vector<int64_t> values) {
  return at::tensor(values, at::kLong);
}

/// Upright 10 x 10 boxes with their centres on the x axis.
at::Tensor squares(std::vector<float> centres) {
  at::Tensor boxes = at::zeros({static_cast<int64_t>(centres.size()), 5});
  boxes.select(1, 0).copy_(at::tensor(centres));
  boxes.narrow(1, 2, 2).fill_(10);
  return boxes;
}

TEST_CASE("match_anchors: rules on a line", "[rotated]") {
  // IoU of squares shifted by d is (10 - d) / (10 + d).
  const at::Tensor anchors = squares({0, 1, 4, 8, 100, 205});
  const at::Tensor gt = squares({0, 200});
  for (const MatchMode mode : {MatchMode::hbb, MatchMode::sampled}) {
    // 25 samples: a shift by 1 leaves 20 of them inside, IoU 2/3 in place of 9/11.
    const int64_t second = mode == MatchMode::hbb ? 1 : -1;
    MatchOptions options = ops::default_match_options(mode);
    const auto found = ops::match_anchors(anchors, gt, options);
    // The last one is the best anchor of the object at 200.
    CHECK(found.label.equal(numbers({1, second, -1, 0, 0, 1})));
    CHECK(found.gt_index.equal(numbers({0, second == 1 ? 0 : -1, -1, -1, -1, 1})));
    const auto labels = [&] { return ops::match_anchors(anchors, gt, options).label; };
    options.match_low_quality = false;
    CHECK(labels().equal(numbers({1, second, -1, 0, 0, -1})));
    options.ignore = squares({100, 0});
    CHECK(labels().equal(numbers({1, second, -1, 0, -1, -1})));
    options.look_alike = squares({100, 205});
    CHECK(labels().equal(numbers({1, second, -1, 0, 0, 0})));
  }
  // Later objects take an anchor from earlier ones.
  MatchOptions low = ops::default_match_options(MatchMode::hbb);
  CHECK(ops::match_anchors(squares({0}), squares({5, 5.1F}), low).gt_index.equal(numbers({1})));
  // An object that overlaps nothing promotes anchor 0 if nothing is demanded.
  low.min_pos_iou = 0;
  CHECK(ops::match_anchors(squares({0, 50}), squares({500}), low).label.equal(numbers({1, 0})));
  CHECK(ops::match_anchors(squares({0, 50}), at::zeros({0, 5}), low).label.equal(numbers({0, 0})));
  CHECK(ops::match_anchors(at::zeros({0, 5}), squares({0}), low).label.numel() == 0);
}

TEST_CASE("match_anchors: parts of the anchors give what the whole gives", "[rotated]") {
  // 8 million pairs at once: 2100 objects make parts of 3809 anchors, two for 4000.
  const at::Tensor anchors = ops::seeded_boxes(ops::BoxKind::aerial, 4000, 5, 700);
  const at::Tensor gt = ops::seeded_boxes(ops::BoxKind::aerial, 2100, 6, 700);
  const auto found = ops::match_anchors(anchors, gt, {.pos = 0.5, .neg = 0.3, .min_pos_iou = 0.2});
  const auto few = ops::match_anchors(anchors, gt.narrow(0, 0, 800),
                                      {.pos = 0.5, .neg = 0.3, .min_pos_iou = 0.2});
  const auto anchors_of = [&](const ops::AnchorMatches& matches) {
    return matches.label.eq(1).sum().item<int64_t>();
  };
  CHECK(anchors_of(found) > 800);
  CHECK(anchors_of(few) < anchors_of(found));
  CHECK(found.gt_index.ge(0).equal(found.label.eq(1)));
}

TEST_CASE("match_anchors: the package's assignments", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/matching.npz");
  const auto array = [&](const std::string& name) { return npz_tensor(file, name); };
  const at::Tensor gt = array("gt");
  const auto compare = [&](const std::string& anchors, const std::string& name,
                           const MatchOptions& options, int64_t allowed) {
    INFO(name);
    const auto found = ops::match_anchors(array(anchors), gt, options);
    const at::Tensor label = array(name + "_labels").to(at::kLong);
    const at::Tensor index = array(name + "_gt").to(at::kLong);
    const int64_t differing =
        found.label.ne(label).logical_or(found.gt_index.ne(index)).sum().item<int64_t>();
    CHECK(differing <= allowed);
    CHECK(found.label.eq(1).sum().item<int64_t>() > 0);
  };
  MatchOptions rpn = ops::default_match_options(MatchMode::hbb);
  compare("anchors_rpn", "rpn_hbb", rpn, 0);
  MatchOptions changed = rpn;
  changed.match_low_quality = false;
  compare("anchors_rpn", "rpn_hbb_nolow", changed, 0);
  changed = rpn;
  changed.ignore = array("ignore");
  changed.ignore_iou = 0.3;
  compare("anchors_rpn", "rpn_hbb_ignore", changed, 0);
  MatchOptions loose = rpn;
  loose.pos = 0.5;
  loose.neg = 0.4;
  changed = loose;
  changed.min_pos_iou = 0;
  compare("anchors_rpn", "rpn_hbb_minpos0", changed, 2);  // anchors tie around the least object
  loose.mode = MatchMode::sampled;
  compare("anchors_rpn", "rpn_sampled", loose, 4);

  MatchOptions retina = ops::default_match_options(MatchMode::rotated);
  compare("anchors_retina", "retina_rotated", retina, 0);
  changed = retina;
  changed.ignore = array("ignore");
  compare("anchors_retina", "retina_rotated_ignore", changed, 0);
  changed = retina;
  changed.mode = MatchMode::hbb;
  compare("anchors_retina", "retina_hbb", changed, 0);
}

TEST_CASE("convex_iou: the package's numbers", "[rotated]") {
  GP_NEED_DATA(folder, "goldens/rotated_ops");
  const auto array = [&](const char* name) { return npz_tensor(folder / "pairs.npz", name); };
  const std::vector<std::string> tags =
      nlohmann::json::parse(std::ifstream(folder / "pairs_tags.json"));
  const at::Tensor got = ops::convex_iou(array("a").to(at::kFloat), array("b").to(at::kFloat));
  const at::Tensor far = got.sub(array("convex_f32")).abs().gt(1e-4), tag = array("tag");
  // Where edges coincide or a corner lies on an edge the last bit of a sine decides; there this
  // overlap is wrong anyhow.
  for (std::size_t t = 0; t < tags.size(); ++t) {
    const at::Tensor rows = far.masked_select(tag.eq(static_cast<int64_t>(t)));
    const auto differing = rows.sum().item<int64_t>();
    INFO(tags[t] << ": " << differing << " of " << rows.numel());
    if (tags[t] == "random" || tags[t] == "small_turn" || tags[t] == "near" ||
        tags[t] == "huge_boxes" || tags[t] == "nested_concentric")
      CHECK(differing == 0);
    else if (tags[t] != "huge_coordinates_1e5")  // float32 has no digits left there
      CHECK(differing * 2 <= rows.numel());
  }
}

TEST_CASE("match_anchors: refused arguments", "[rotated]") {
  const at::Tensor boxes = squares({0, 1});
  check_refused("match_anchors", "anchors has shape (2, 4)", [&] {
    ops::match_anchors(at::ones({2, 4}), boxes);
  });
  check_refused("match_anchors", "gt is Long",
                [&] { ops::match_anchors(boxes, boxes.to(at::kLong)); });
  check_refused("match_anchors", "pos is NaN",
                [&] { ops::match_anchors(boxes, boxes, {.pos = std::nan("")}); });
  check_refused("match_anchors", "mode is 'obb'", [] { ops::parse_match_mode("obb"); });
}

}  // namespace
}  // namespace grasppanda::tests
