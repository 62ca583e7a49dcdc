// The operators of rotated boxes as `ops run` calls them.
#include <cmath>

#include "lib/ops/operator_list.h"
#include "lib/ops/rotated/enclosing_boxes.h"
#include "lib/ops/rotated/kfiou_loss.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

using ops::OperatorCall;
using ops::run_operator;

TEST_CASE("rotated operators by name: overlaps", "[rotated]") {
  const at::Tensor a = ops::seeded_boxes(ops::BoxKind::clusters, 20, 1, 128);
  const at::Tensor b = ops::seeded_boxes(ops::BoxKind::clusters, 20, 2, 128);
  const auto run = [&](OperatorCall::Values values) {
    values["boxes1"] = a;
    values["boxes2"] = b;
    return run_operator("rotated_iou", std::move(values)).at("iou");
  };
  CHECK(run({}).equal(ops::rotated_iou(a, b)));
  CHECK(run({{"aligned", at::ones({}, at::kLong)}}).equal(ops::aligned_rotated_iou(a, b)));
  CHECK(run({{"ratio", "iof"}}).equal(ops::rotated_iou(a, b, ops::OverlapRatio::iof)));
  CHECK(run({{"method", "sampled"}}).equal(ops::sampled_iou(a, b)));
  CHECK(run({{"method", "sampled"}, {"num_samples", at::scalar_tensor(25, at::kInt)}})
            .equal(ops::sampled_iou(a, b, 25)));
  CHECK(run({{"method", "sampled"}, {"aligned", "1"}, {"num_samples", "49"}})
            .equal(ops::aligned_sampled_iou(a, b, 49)));
  check_refused("rotated_iou", "method is 'fast'", [&] { run({{"method", "fast"}}); });
  check_refused("rotated_iou", "ratio is 'giou'", [&] { run({{"ratio", "giou"}}); });
  check_refused("rotated_iou", "num_samples is 'many'", [&] {
    run({{"method", "sampled"}, {"num_samples", "many"}});
  });
  CHECK(run_operator("rotated_iou_sample_count",
                     {{"boxes1", a}, {"num_samples", "36"}, {"purpose", "nms"}})
            .at("num_samples")
            .item<int64_t>() == 36);
}

TEST_CASE("rotated operators by name: suppression, matching, losses", "[rotated]") {
  const at::Tensor boxes = ops::seeded_boxes(ops::BoxKind::clusters, 40, 3, 128);
  const at::Tensor scores = ops::seeded_scores(40, 3);
  const auto kept = [&](const char* name, OperatorCall::Values values) {
    values.insert({{"boxes", boxes}, {"scores", scores}, {"iou_threshold", "0.3"}});
    return run_operator(name, std::move(values)).at("kept");
  };
  const at::Tensor all = kept("rotated_nms", {});
  CHECK(all.numel() > 5);
  CHECK(kept("rotated_nms", {{"max_detections", "5"}}).equal(all.narrow(0, 0, 5)));
  CHECK(kept("rotated_nms", {{"method", "sampled"}}).numel() > 5);
  CHECK(kept("rotated_nms", {{"labels", at::arange(40)}}).numel() == 40);
  CHECK(kept("hbb_nms", {{"max_detections", "3"}}).numel() == 3);
  const at::Tensor square = at::tensor({10.0F, 20.0F, 4.0F, 4.0F, 0.0F}).view({1, 5});
  CHECK(run_operator("enclosing_boxes", {{"boxes", square}})
            .at("hbb")
            .equal(at::tensor({8.0F, 18.0F, 12.0F, 22.0F}).view({1, 4})));
  check_refused("enclosing_boxes", "boxes has shape (40,), wants (N, 5)", [&] {
    run_operator("enclosing_boxes", {{"boxes", scores}});
  });
  const ops::NamedTensors angle = run_operator(
      "aspect_gated_angle_loss",
      {{"pred", square.add(at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.2F}))}, {"target", square}});
  CHECK(angle.at("loss").item<double>() == Approx(std::pow(std::sin(0.4), 2)));
  CHECK(angle.at("grad")[0][4].item<double>() == Approx(2 * std::sin(0.8)));
  const at::Tensor matched =
      run_operator("match_anchors", {{"anchors", boxes}, {"gt", boxes.narrow(0, 0, 4)}})
          .at("labels");
  CHECK(matched.narrow(0, 0, 4).eq(1).all().item<bool>());

  const at::Tensor target = boxes.add(0.5);
  const auto outputs =
      run_operator("kfiou_loss", {{"pred", boxes}, {"target", target}, {"fun", "ln"}});
  CHECK(outputs.at("loss").equal(ops::kfiou_loss(boxes, target, ops::KfiouFunction::ln)));
  CHECK(outputs.at("grad").sizes() == boxes.sizes());
  CHECK(outputs.at("grad").abs().max().item<double>() > 0);
  CHECK_FALSE(boxes.requires_grad());
  const auto riou =
      run_operator("riou_loss", {{"pred", boxes}, {"target", target}, {"reduction", "mean"}});
  CHECK(riou.at("loss").dim() == 0);
  CHECK(riou.at("grad").count_nonzero().item<int64_t>() == 0);
  const auto mean =
      run_operator("mean_auxiliary_box_reg_loss", {{"pred", boxes}, {"target", target}});
  CHECK(mean.at("loss").equal(riou.at("loss")));
  CHECK(run_operator("probiou_loss", {{"pred", boxes}, {"target", target}}).at("loss").numel() ==
        40);
}

TEST_CASE("rotated operators by name: golden archives as they are", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/roi_align.npz");
  OperatorCall::Values values;
  for (const char* name : {"feat0", "feat1", "feat2", "feat3", "boxes", "strides", "boxes_xyxy"})
    values[name] = npz_tensor(file, name);
  for (const auto& [name, output] :
       {std::pair{"rotated_roi_align", "rotated_align"}, {"roi_align", "horizontal_align"}}) {
    INFO(name);
    const at::Tensor got = run_operator(name, values).at(output);
    CHECK(got.sub(npz_tensor(file, output)).abs().max().item<double>() < 1e-4);
  }
  const at::Tensor other = [&] {
    values["variant"] = "mmcv";
    return run_operator("rotated_roi_align", values).at("rotated_align");
  }();
  CHECK(other.sub(npz_tensor(file, "rotated_align")).abs().max().item<double>() > 0.01);
}

}  // namespace
}  // namespace grasppanda::tests
