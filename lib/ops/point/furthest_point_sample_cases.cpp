#include <ATen/ATen.h>

#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {

std::vector<FurthestPointSampleCase> furthest_point_sample_cases() {
  std::vector<FurthestPointSampleCase> cases;
  uint64_t seed = 1;
  const auto add = [&](std::string name, CloudKind kind, int64_t batches, int64_t points,
                       int64_t samples, bool skip) {
    const at::Tensor cloud = seeded_cloud(kind, batches, points, seed++);
    for (const TieBreak rule : {TieBreak::lowest_index, TieBreak::pointnet2_cuda})
      cases.push_back(
          {name + ", " + std::string(tie_break_name(rule)), cloud, samples, skip, rule});
  };
  add("one point", CloudKind::uniform, 1, 1, 3, false);
  add("two points, more samples than points", CloudKind::uniform, 1, 2, 5, true);
  add("two clouds", CloudKind::uniform, 2, 97, 24, false);
  add("lattice, many ties", CloudKind::lattice, 1, 300, 40, false);
  add("lattice, no multiple of a vector", CloudKind::lattice, 1, 67, 30, true);
  add("one more than a block of threads", CloudKind::lattice, 1, 513, 40, false);
  add("repeated points, all taken", CloudKind::repeated, 1, 70, 12, false);
  add("near the origin", CloudKind::origin, 2, 129, 20, true);
  add("NaN and infinity", CloudKind::non_finite, 1, 130, 16, false);
  add("NaN and infinity, near-origin skip", CloudKind::non_finite, 1, 65, 16, true);
  add("table top", CloudKind::table_top, 1, 1023, 32, true);
  return cases;
}

std::string check_furthest_point_sample(const Kernel<FurthestPointSampleFn>& kernel,
                                        c10::Device device) {
  for (const FurthestPointSampleCase& c : furthest_point_sample_cases()) {
    const at::Tensor points = c.points.to(device);
    const std::string difference = first_difference(
        "index", kernel.run(points, c.num_samples, c.skip_near_origin, c.tie_break),
        furthest_point_sample_reference(points, c.num_samples, c.skip_near_origin, c.tie_break));
    if (!difference.empty()) return c.name + ": " + difference;
  }
  return {};
}

}  // namespace grasppanda::ops
