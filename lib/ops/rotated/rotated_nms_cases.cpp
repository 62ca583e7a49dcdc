#include <ATen/ATen.h>

#include <algorithm>

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

RotatedNmsCase random_rotated_nms_case(uint64_t seed, int64_t boxes) {
  constexpr int64_t kMost = 2048;  // of a run of the CUDA kernel, and a little more
  SeededNumbers numbers(seed);
  const int64_t count = std::min(boxes, kMost + boxes % 67);
  at::Tensor rows = drawn_boxes(numbers, count);
  if (numbers.below(3) == 0) rows = rows.to(at::kDouble);
  const double threshold = drawn(numbers, {0.0, 0.1, 0.3, 0.5, 1.0});
  return {"random",
          rows,
          seeded_labels(count, drawn<int64_t>(numbers, {1, 1, 3}), numbers.next()),
          {threshold, threshold > 0 && numbers.below(2) == 0}};
}

std::string compare_rotated_nms(const Kernel<RotatedNmsFn>& kernel, c10::Device device,
                                const RotatedNmsCase& call) {
  const at::Tensor got = kernel.run(call.boxes.to(device), call.groups.to(device), call.rule);
  const std::string difference =
      first_difference("kept", got, rotated_nms_reference(call.boxes, call.groups, call.rule));
  return difference.empty() ? difference : call.name + ": " + difference;
}

std::string check_rotated_nms(const Kernel<RotatedNmsFn>& kernel, c10::Device device) {
  for (const RotatedNmsCase& call : rotated_nms_cases())
    if (std::string difference = compare_rotated_nms(kernel, device, call); !difference.empty())
      return difference;
  return {};
}

}  // namespace grasppanda::ops
