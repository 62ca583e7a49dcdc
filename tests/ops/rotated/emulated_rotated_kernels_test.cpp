// The CUDA kernels of rotated boxes on the CPU, thread by thread, against the references: their
// logic is tested where there is no GPU.
#include <functional>
#include <string>
#include <vector>

#include "lib/ops/cuda_module.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/rotated/emulated_rotated_kernels.h"

namespace grasppanda::tests {
namespace {

/// Random calls around warps, runs of rows and words of bits; the number of them.
template <class Fn, class Call>
int try_calls(const ops::Kernel<Fn>& kernel, int calls_per_size, Call (*draw)(uint64_t, int64_t),
              std::string (*compare)(const ops::Kernel<Fn>&, c10::Device, const Call&)) {
  int calls = 0;
  for (const int64_t boxes : {1, 2, 31, 32, 33, 63, 64, 65, 127, 129, 300})
    for (int call = 0; call < calls_per_size; ++call) {
      const auto seed = static_cast<uint64_t>(++calls);
      const std::string difference = compare(kernel, at::kCPU, draw(seed, boxes));
      if (!difference.empty()) FAIL_CHECK(boxes << " boxes, seed " << seed << ": " << difference);
    }
  return calls;
}

}  // namespace

TEST_CASE("emulated CUDA: rotated_iou equals its reference", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().rotated_iou;
  CHECK(ops::check_rotated_iou(kernel, at::kCPU) == "");
  CHECK(try_calls(kernel, 8, ops::random_rotated_iou_case, ops::compare_rotated_iou) > 80);
}

TEST_CASE("emulated CUDA: rotated_nms equals its reference", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().rotated_nms;
  CHECK(ops::check_rotated_nms(kernel, at::kCPU) == "");
  CHECK(try_calls(kernel, 8, ops::random_rotated_nms_case, ops::compare_rotated_nms) > 80);
}

TEST_CASE("emulated CUDA: rotated_nms over several runs of boxes", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().rotated_nms;
  const int64_t run = kGrasppandaSuppressionRun;
  for (const int64_t boxes : {run, run + 1, 2 * run + 63})
    for (const double threshold : {0.02, 0.6}) {
      INFO(boxes << " boxes, threshold " << threshold);
      const at::Tensor rows = ops::seeded_boxes(ops::BoxKind::aerial, boxes, 5, 1500);
      const at::Tensor groups = ops::seeded_labels(boxes, 2, 6);
      const at::Tensor kept = kernel.run(rows, groups, {threshold, false});
      CHECK(kept.equal(ops::rotated_nms_reference(rows, groups, {threshold, false})));
      CHECK(kept.numel() > 64);
      CHECK(kept.numel() < boxes);
    }
}

TEST_CASE("emulated CUDA: sampled_iou equals its reference", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().sampled_iou;
  CHECK(ops::check_sampled_iou(kernel, at::kCPU) == "");
  CHECK(try_calls(kernel, 3, ops::random_sampled_iou_case, ops::compare_sampled_iou) > 30);
}

TEST_CASE("emulated CUDA: sampled_nms equals its reference", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().sampled_nms;
  CHECK(ops::check_sampled_nms(kernel, at::kCPU) == "");
  CHECK(try_calls(kernel, 3, ops::random_sampled_nms_case, ops::compare_sampled_nms) > 30);
}

TEST_CASE("emulated CUDA: roi_align equals its reference", "[rotated]") {
  const auto kernel = emulated_rotated_kernels().roi_align;
  CHECK(ops::check_roi_align(kernel, at::kCPU) == "");
  CHECK(try_calls(kernel, 6, ops::random_roi_align_case, ops::compare_roi_align) > 60);
}

TEST_CASE("emulated CUDA: empty calls of rotated boxes", "[rotated]") {
  const auto kernels = emulated_rotated_kernels();
  const at::Tensor none = at::zeros({0, 5}), some = at::ones({3, 5});
  CHECK(kernels.rotated_iou.run(none, some, false, ops::OverlapRatio::iou).sizes() ==
        at::IntArrayRef{0, 3});
  CHECK(kernels.rotated_nms.run(none, at::zeros({0}, at::kLong), {0.1, false}).numel() == 0);
  CHECK(kernels.sampled_iou.run(some, none, false, 25).sizes() == at::IntArrayRef{3, 0});
  CHECK(kernels.sampled_nms.run(none, 0.1, 25).numel() == 0);
  CHECK(kernels.roi_align
            .run(at::ones({1, 2, 4, 4}), none, at::zeros({0}, at::kLong),
                 {ops::RoiKind::rotated, 4, {7, 2}})
            .numel() == 0);
}

}  // namespace grasppanda::tests
