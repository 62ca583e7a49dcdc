// The CUDA kernels of rotated boxes on a GPU against their references. Without a GPU the same
// kernels run emulated (emulated_rotated_kernels_test.cpp).
#include <string>
#include <vector>

#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"
#include "lib/ops/rotated/rotated_roi_align.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/need_cuda.h"

namespace grasppanda::tests {
namespace {

template <class Fn, class Call>
int try_on_cuda(const ops::Kernel<Fn>& kernel,
                std::string (*self_check)(const ops::Kernel<Fn>&, c10::Device),
                Call (*draw)(uint64_t, int64_t),
                std::string (*compare)(const ops::Kernel<Fn>&, c10::Device, const Call&)) {
  const c10::Device device(c10::kCUDA, 0);
  CHECK(self_check(kernel, device) == "");
  int calls = 0;
  for (const int64_t width : {2, 32, 64, 128, 512, 2048})
    for (const int64_t boxes : {width - 1, width, width + 1})
      for (int call = 0; call < 20; ++call) {
        const auto seed = static_cast<uint64_t>(++calls);
        const std::string difference = compare(kernel, device, draw(seed, boxes));
        if (!difference.empty()) FAIL_CHECK(boxes << " boxes, seed " << seed << ": " << difference);
      }
  return calls;
}

}  // namespace

TEST_CASE("the CUDA kernels of rotated boxes equal their references", "[rotated]") {
  GP_NEED_CUDA();
  const ops::RotatedCudaKernels kernels = ops::rotated_cuda_kernels();
  int calls = try_on_cuda(kernels.rotated_iou, ops::check_rotated_iou, ops::random_rotated_iou_case,
                          ops::compare_rotated_iou);
  calls += try_on_cuda(kernels.rotated_nms, ops::check_rotated_nms, ops::random_rotated_nms_case,
                       ops::compare_rotated_nms);
  calls += try_on_cuda(kernels.sampled_iou, ops::check_sampled_iou, ops::random_sampled_iou_case,
                       ops::compare_sampled_iou);
  calls += try_on_cuda(kernels.sampled_nms, ops::check_sampled_nms, ops::random_sampled_nms_case,
                       ops::compare_sampled_nms);
  calls += try_on_cuda(kernels.roi_align, ops::check_roi_align, ops::random_roi_align_case,
                       ops::compare_roi_align);
  CHECK(calls >= 1500);
}

TEST_CASE("the operators of rotated boxes answer on a GPU as on the CPU", "[rotated]") {
  GP_NEED_CUDA();
  const c10::Device device(c10::kCUDA, 0);
  for (const ops::AnyKernelList* list : std::vector<const ops::AnyKernelList*>{
           &ops::rotated_iou_kernels(), &ops::rotated_nms_kernels(), &ops::sampled_iou_kernels(),
           &ops::sampled_nms_kernels(), &ops::roi_align_kernels()}) {
    const ops::Settled settled = list->settle(device);
    INFO(list->name() << ": " << settled.note);
    CHECK(settled.backend == ops::Backend::compiled);
  }
  const at::Tensor boxes = ops::seeded_boxes(ops::BoxKind::aerial, 5000, 21, 2048);
  const at::Tensor scores = ops::seeded_scores(5000, 22), labels = ops::seeded_labels(5000, 3, 23);
  for (const ops::IouMethod method : {ops::IouMethod::exact, ops::IouMethod::sampled}) {
    ops::RotatedNmsOptions options;
    options.method = method;
    const at::Tensor kept =
        ops::rotated_nms(boxes.to(device), scores.to(device), options, labels.to(device));
    CHECK(kept.device() == device);
    CHECK(kept.cpu().equal(ops::rotated_nms(boxes, scores, options, labels)));
  }
}

TEST_CASE("the CUDA kernels of rotated boxes are for CUDA alone", "[rotated]") {
  CHECK(ops::rotated_cuda_kernels().rotated_iou.missing(c10::kCPU) == ops::kForAnotherDevice);
  CHECK(ops::rotated_iou_cpu_kernel().missing(c10::kCUDA) == ops::kForAnotherDevice);
  if (ops::cuda_device_count() > 0) return;
  CHECK(ops::rotated_cuda_kernels().roi_align.missing(c10::kCUDA) == ops::why_no_cuda_device());
  const at::Tensor boxes = at::ones({2, 5});
  CHECK_THROWS_AS(
      ops::rotated_cuda_kernels().rotated_iou.run(boxes, boxes, false, ops::OverlapRatio::iou),
      ops::BackendError);
}

TEST_CASE("what the CUDA kernels of rotated boxes leave to the reference", "[rotated]") {
  const ops::RotatedCudaKernels kernels = ops::rotated_cuda_kernels();
  const at::Tensor boxes = at::ones({2, 5}), groups = at::zeros({2}, at::kLong);
  CHECK(kernels.rotated_nms.declines(boxes, groups, {0.0, false}) == "");
  CHECK(kernels.rotated_nms.declines(boxes, groups, {0.0, true}) != "");
  CHECK(kernels.rotated_iou.declines(boxes, boxes, false, ops::OverlapRatio::iou) == "");
  const at::Tensor many = at::ones({1, 5}).expand({int64_t{1} << 20, 5});
  CHECK(kernels.rotated_iou.declines(many, many, false, ops::OverlapRatio::iou) != "");
  CHECK(kernels.sampled_iou.declines(boxes, boxes, false, int64_t{1} << 30) != "");
  CHECK(kernels.sampled_nms.declines(many, 0.1, 25) != "");
  CHECK(kernels.sampled_nms.declines(boxes, 0.1, 25) == "");
}

}  // namespace grasppanda::tests
