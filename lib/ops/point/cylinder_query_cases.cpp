#include <ATen/ATen.h>

#include <limits>

#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {

std::vector<CylinderQueryCase> cylinder_query_cases() {
  std::vector<CylinderQueryCase> cases;
  uint64_t seed = 201;
  const auto add = [&](std::string name, CloudKind kind, int64_t batches, int64_t queries,
                       int64_t points, double radius, double hmin, double hmax, int64_t nsample) {
    const at::Tensor support = seeded_cloud(kind, batches, points, seed++);
    cases.push_back({std::move(name), support.narrow(1, 0, queries), support,
                     seeded_rotations(batches, queries, seed++), radius, hmin, hmax, nsample});
  };
  add("partly filled", CloudKind::uniform, 2, 9, 101, 0.3, -0.2, 0.3, 16);
  add("more hits than slots", CloudKind::uniform, 1, 17, 331, 0.6, -0.5, 0.5, 8);
  add("fewer points than a vector", CloudKind::uniform, 1, 5, 7, 0.5, -0.4, 0.4, 4);
  add("no height", CloudKind::uniform, 1, 5, 63, 0.5, 0.1, 0.1, 4);
  add("no end", CloudKind::uniform, 1, 3, 65, 0.4, -std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::infinity(), 80);
  add("NaN and infinity", CloudKind::non_finite, 1, 130, 130, 0.4, -0.3, 0.3, 8);
  add("table top", CloudKind::table_top, 1, 64, 1025, 0.05, -0.02, 0.04, 16);

  // Axis-aligned cylinders over a lattice: every product is exact, many points lie on the surface.
  const at::Tensor lattice = seeded_cloud(CloudKind::lattice, 1, 257, seed++);
  cases.push_back({"points exactly on the surface", lattice.narrow(1, 0, 33), lattice,
                   at::eye(3).expand({1, 33, 3, 3}), 0.25, -0.125, 0.25, 12});
  return cases;
}

CylinderQueryCase random_cylinder_query_case(uint64_t seed, int64_t points) {
  SeededNumbers numbers(seed);
  const CloudKind kind = drawn_kind(numbers);
  const int64_t batches = 1 + numbers.below(3), queries = drawn(numbers, {1, 9, 70});
  const at::Tensor support =
      maybe_strided(seeded_cloud(kind, batches, points, numbers.next()), numbers);
  const at::Tensor query = points >= queries ? support.narrow(1, 0, queries)
                                             : seeded_cloud(kind, batches, queries, numbers.next());
  // Of other than unit length it is no rotation: no sphere around the cylinder can be relied on.
  const at::Tensor rotation =
      seeded_rotations(batches, queries, numbers.next()) * drawn(numbers, {1.0, 1.0, 0.5});
  const double radius = drawn(numbers, {0.05, 0.3}), hmin = drawn(numbers, {-0.02, -0.2});
  return {"random", query, support, rotation,
          radius,   hmin,  0.2,     drawn<int64_t>(numbers, {1, 5, 64})};
}

CylinderQueryCase cylinder_query_scene(int64_t batches, int64_t queries, int64_t points,
                                       int64_t nsample) {
  const at::Tensor support = seeded_cloud(CloudKind::table_top, batches, points, 3);
  return {"scene", support.narrow(1, 0, queries).contiguous(),
          support, seeded_rotations(batches, queries, 4),
          0.05,    -0.02,
          0.04,    nsample};
}

std::string compare_cylinder_query(const Kernel<CylinderQueryFn>& kernel, c10::Device device,
                                   const CylinderQueryCase& call) {
  const at::Tensor query = call.query.to(device), support = call.support.to(device),
                   rotation = call.rotation.to(device);
  const Neighbourhood got =
      kernel.run(query, support, rotation, call.radius, call.hmin, call.hmax, call.nsample);
  const Neighbourhood want = cylinder_query_reference(query, support, rotation, call.radius,
                                                      call.hmin, call.hmax, call.nsample);
  for (const std::string& difference : {first_difference("count", got.count, want.count),
                                        first_difference("index", got.index, want.index)})
    if (!difference.empty()) return call.name + ": " + difference;
  return {};
}

std::string check_cylinder_query(const Kernel<CylinderQueryFn>& kernel, c10::Device device) {
  for (const CylinderQueryCase& call : cylinder_query_cases())
    if (std::string difference = compare_cylinder_query(kernel, device, call); !difference.empty())
      return difference;
  return {};
}

}  // namespace grasppanda::ops
