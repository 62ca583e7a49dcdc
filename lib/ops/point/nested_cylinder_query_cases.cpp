#include <ATen/ATen.h>

#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/nested_cylinder_query.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {
namespace {

// The ends of GraspNet-baseline, in an order that nobody promised.
const std::vector<double> kEnds = {0.02, 0.04, 0.01, 0.03};

NestedCylinderQueryCase nested(const CylinderQueryCase& call, std::vector<double> hmax) {
  return {call.name,   call.query, call.support,    call.rotation,
          call.radius, call.hmin,  std::move(hmax), call.nsample};
}

}  // namespace

std::vector<NestedCylinderQueryCase> nested_cylinder_query_cases() {
  std::vector<NestedCylinderQueryCase> cases;
  for (const CylinderQueryCase& call : cylinder_query_cases()) {
    cases.push_back(nested(call, {call.hmax}));
    // Ends on both sides of the lower one, one of them twice.
    cases.push_back(nested(call, {call.hmax, call.hmin - 0.1, 0.5 * call.hmax, call.hmax}));
  }
  cases.push_back(nested(cylinder_query_scene(1, 64, 1025, 64), kEnds));
  return cases;
}

NestedCylinderQueryCase random_nested_cylinder_query_case(uint64_t seed, int64_t points) {
  SeededNumbers numbers(seed);
  std::vector<double> ends = kEnds;
  ends.resize(static_cast<std::size_t>(1 + numbers.below(4)));
  if (numbers.below(3) == 0) ends.push_back(0.2);
  return nested(random_cylinder_query_case(numbers.next(), points), ends);
}

std::string compare_nested_cylinder_query(const Kernel<NestedCylinderQueryFn>& kernel,
                                          c10::Device device, const NestedCylinderQueryCase& call) {
  const at::Tensor query = call.query.to(device), support = call.support.to(device),
                   rotation = call.rotation.to(device);
  const Neighbourhood got =
      kernel.run(query, support, rotation, call.radius, call.hmin, call.hmax, call.nsample);
  const Neighbourhood want = nested_cylinder_query_reference(query, support, rotation, call.radius,
                                                             call.hmin, call.hmax, call.nsample);
  for (const std::string& difference : {first_difference("count", got.count, want.count),
                                        first_difference("index", got.index, want.index)})
    if (!difference.empty()) return call.name + ", nested: " + difference;
  return {};
}

std::string check_nested_cylinder_query(const Kernel<NestedCylinderQueryFn>& kernel,
                                        c10::Device device) {
  for (const NestedCylinderQueryCase& call : nested_cylinder_query_cases())
    if (std::string difference = compare_nested_cylinder_query(kernel, device, call);
        !difference.empty())
      return difference;
  return {};
}

}  // namespace grasppanda::ops
