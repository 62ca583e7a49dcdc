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

FurthestPointSampleCase random_furthest_point_sample_case(uint64_t seed, int64_t points) {
  SeededNumbers numbers(seed);
  const CloudKind kind = drawn_kind(numbers);
  const int64_t batches = 1 + numbers.below(3);
  const at::Tensor cloud =
      maybe_strided(seeded_cloud(kind, batches, points, numbers.next()), numbers);
  // 24 samples are where sorting the cloud begins to pay.
  const int64_t samples = drawn<int64_t>(numbers, {1, 7, 24, 40, 100});
  const TieBreak rule = drawn(numbers, {TieBreak::lowest_index, TieBreak::pointnet2_cuda});
  return {"random", cloud, samples, numbers.below(2) == 1, rule};
}

FurthestPointSampleCase furthest_point_sample_scene(int64_t batches, int64_t num_samples,
                                                    int64_t points, TieBreak tie_break) {
  return {"scene", seeded_cloud(CloudKind::table_top, batches, points, 3), num_samples,
          tie_break == TieBreak::pointnet2_cuda, tie_break};
}

std::string compare_furthest_point_sample(const Kernel<FurthestPointSampleFn>& kernel,
                                          c10::Device device, const FurthestPointSampleCase& call) {
  const at::Tensor points = call.points.to(device);
  const std::string difference = first_difference(
      "index", kernel.run(points, call.num_samples, call.skip_near_origin, call.tie_break),
      furthest_point_sample_reference(points, call.num_samples, call.skip_near_origin,
                                      call.tie_break));
  return difference.empty() ? difference : call.name + ": " + difference;
}

std::string check_furthest_point_sample(const Kernel<FurthestPointSampleFn>& kernel,
                                        c10::Device device) {
  for (const FurthestPointSampleCase& call : furthest_point_sample_cases())
    if (std::string difference = compare_furthest_point_sample(kernel, device, call);
        !difference.empty())
      return difference;
  return {};
}

}  // namespace grasppanda::ops
