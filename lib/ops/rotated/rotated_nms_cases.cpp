#include <ATen/ATen.h>

#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/seeded_boxes.h"

namespace grasppanda::ops {

std::vector<RotatedNmsCase> rotated_nms_cases() {
  std::vector<RotatedNmsCase> cases;
  uint64_t seed = 451;
  const auto add = [&](std::string name, BoxKind kind, int64_t count, int64_t classes,
                       SuppressionRule rule, double extent) {
    cases.push_back({std::move(name), seeded_boxes(kind, count, seed, extent),
                     seeded_labels(count, classes, seed), rule});
    ++seed;
  };
  add("aerial boxes", BoxKind::aerial, 400, 1, {0.1, false}, 512);
  add("aerial boxes of three classes", BoxKind::aerial, 300, 3, {0.3, false}, 256);
  add("clusters", BoxKind::clusters, 250, 2, {0.5, false}, 256);
  add("touching boxes, threshold 0", BoxKind::lattice, 200, 1, {0, false}, 16);
  add("thirds and halves at the threshold", BoxKind::lattice, 200, 1, {0.5, true}, 16);
  add("slivers", BoxKind::slivers, 150, 1, {0.05, false}, 4096);
  add("coordinates about 1e5", BoxKind::far_out, 100, 1, {0.1, false}, 256);
  add("degenerate boxes", BoxKind::degenerate, 120, 2, {0.1, false}, 128);
  add("threshold 1", BoxKind::lattice, 60, 1, {1, true}, 16);
  add("one box", BoxKind::aerial, 1, 1, {0.1, false}, 16);
  return cases;
}

std::string check_rotated_nms(const Kernel<RotatedNmsFn>& kernel, c10::Device device) {
  for (const RotatedNmsCase& c : rotated_nms_cases()) {
    const at::Tensor got = kernel.run(c.boxes.to(device), c.groups.to(device), c.rule).to(at::kCPU);
    const std::string difference =
        first_difference("kept", got, rotated_nms_reference(c.boxes, c.groups, c.rule));
    if (!difference.empty()) return c.name + ": " + difference;
  }
  return {};
}

}  // namespace grasppanda::ops
