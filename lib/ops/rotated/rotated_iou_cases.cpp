#include <ATen/ATen.h>

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

std::string check_rotated_iou(const Kernel<RotatedIouFn>& kernel, c10::Device device) {
  for (const RotatedIouCase& c : rotated_iou_cases())
    for (const OverlapRatio ratio : {OverlapRatio::iou, OverlapRatio::iof})
      for (const bool aligned : {false, true}) {
        const int64_t rows = std::min(c.boxes1.size(0), c.boxes2.size(0));
        const at::Tensor boxes1 = aligned ? c.boxes1.narrow(0, 0, rows) : c.boxes1;
        const at::Tensor boxes2 = aligned ? c.boxes2.narrow(0, 0, rows) : c.boxes2;
        const at::Tensor got =
            kernel.run(boxes1.to(device), boxes2.to(device), aligned, ratio).to(at::kCPU);
        const std::string difference =
            first_difference("iou", got, rotated_iou_reference(boxes1, boxes2, aligned, ratio));
        if (!difference.empty()) return c.name + ": " + difference;
      }
  return {};
}

}  // namespace grasppanda::ops
