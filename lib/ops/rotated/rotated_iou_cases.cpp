#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"

namespace grasppanda::ops {

std::vector<RotatedIouCase> rotated_iou_cases() {
  std::vector<RotatedIouCase> cases;
  uint64_t seed = 401;
  const auto add = [&](std::string name, BoxKind kind, int64_t n, int64_t m, double extent) {
    cases.push_back({std::move(name), seeded_boxes(kind, n, seed, extent),
                     seeded_boxes(kind, m, seed + 1, extent)});
    seed += 2;
  };
  add("aerial boxes", BoxKind::aerial, 37, 61, 256);
  add("clusters", BoxKind::clusters, 50, 33, 256);
  add("shared edges and corners", BoxKind::lattice, 64, 65, 16);
  add("slivers", BoxKind::slivers, 41, 40, 1024);
  add("coordinates about 1e5", BoxKind::far_out, 30, 31, 256);
  add("degenerate boxes", BoxKind::degenerate, 40, 40, 128);
  add("one pair", BoxKind::clusters, 1, 1, 16);
  const at::Tensor same = seeded_boxes(BoxKind::aerial, 21, seed, 1024);
  cases.push_back({"boxes with themselves", same, same});
  cases.push_back({"float64", cases[1].boxes1.to(at::kDouble).mul(1.000001),
                   cases[1].boxes2.to(at::kDouble).add(1e-9)});
  return cases;
}

RotatedIouCase random_rotated_iou_case(uint64_t seed, int64_t boxes) {
  constexpr int64_t kPairs = 4096;
  SeededNumbers numbers(seed);
  const bool aligned = numbers.below(4) == 0, exchanged = numbers.below(2) == 0;
  const int64_t others = aligned ? boxes : std::max<int64_t>(1, kPairs / boxes);
  const auto type = numbers.below(3) == 0 ? at::kDouble : at::kFloat;
  at::Tensor first = drawn_boxes(numbers, boxes).to(type);
  at::Tensor second = drawn_boxes(numbers, others).to(type);
  if (numbers.below(3) == 0) second = first.narrow(0, 0, std::min(boxes, others)).clone();
  if (aligned && second.size(0) != boxes) second = first.clone();
  if (exchanged) std::swap(first, second);
  return {"random", first, second, aligned,
          numbers.below(2) == 0 ? OverlapRatio::iou : OverlapRatio::iof};
}

std::string compare_rotated_iou(const Kernel<RotatedIouFn>& kernel, c10::Device device,
                                const RotatedIouCase& call) {
  const at::Tensor got =
      kernel.run(call.boxes1.to(device), call.boxes2.to(device), call.aligned, call.ratio);
  const std::string difference = first_difference(
      "iou", got, rotated_iou_reference(call.boxes1, call.boxes2, call.aligned, call.ratio));
  return difference.empty() ? difference : call.name + ": " + difference;
}

std::string check_rotated_iou(const Kernel<RotatedIouFn>& kernel, c10::Device device) {
  for (RotatedIouCase call : rotated_iou_cases())
    for (const bool aligned : {false, true}) {
      const int64_t rows = std::min(call.boxes1.size(0), call.boxes2.size(0));
      if (aligned) call.boxes1 = call.boxes1.narrow(0, 0, rows);
      if (aligned) call.boxes2 = call.boxes2.narrow(0, 0, rows);
      call.aligned = aligned;
      for (const OverlapRatio ratio : {OverlapRatio::iou, OverlapRatio::iof}) {
        call.ratio = ratio;
        if (std::string difference = compare_rotated_iou(kernel, device, call); !difference.empty())
          return difference;
      }
    }
  return {};
}

}  // namespace grasppanda::ops
