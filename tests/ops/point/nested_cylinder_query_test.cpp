#include "lib/ops/point/nested_cylinder_query.h"

#include <limits>
#include <string>
#include <vector>

#include "lib/ops/operator_list.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/point/brute_force.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("nested_cylinder_query: hand-computed lists, every kernel") {
  // Along the axis x at 0.5, 1.5, 2.5, ... and one point beside it.
  at::Tensor support = at::zeros({1, 5, 3});
  support.select(2, 0).copy_(at::tensor({2.5F, 0.5F, 1.5F, 0.25F, 3.5F}));
  support[0][3][1] = 2;
  const at::Tensor query = at::zeros({1, 1, 3}), axes = at::eye(3).view({1, 1, 3, 3});
  for (const auto& kernel : ops::nested_cylinder_query_kernels().kernels_on(at::kCPU)) {
    INFO(kernel.name);
    const ops::Neighbourhood found =
        kernel.run(query, support, axes, 1.0, 0.0, std::vector<double>{3, 1, 0, 2}, 2);
    const std::vector<int64_t> index = {0, 1, 1, 1, 0, 0, 1, 2}, count = {2, 1, 0, 2};
    CHECK(found.index.equal(at::tensor(index, at::kLong).view({1, 4, 1, 2})));
    CHECK(found.count.equal(at::tensor(count, at::kLong).view({1, 4, 1})));
  }
}

TEST_CASE("nested_cylinder_query: each list is that of cylinder_query, whatever the backend") {
  const std::vector<double> ends = {0.04, 0.01, 0.03, 0.02};
  const auto call = ops::cylinder_query_scene(2, 100, 4000, 16);
  for (const ops::Backend backend : {ops::Backend::reference, ops::Backend::compiled}) {
    const ops::ScopedBackends scope(ops::all_backends(backend));
    const ops::Neighbourhood all = ops::nested_cylinder_query(
        call.query, call.support, call.rotation, call.radius, call.hmin, ends, call.nsample);
    CHECK(all.index.sizes() == at::IntArrayRef{2, 4, 100, 16});
    for (std::size_t h = 0; h < ends.size(); ++h) {
      const ops::Neighbourhood one = ops::cylinder_query(
          call.query, call.support, call.rotation, call.radius, call.hmin, ends[h], call.nsample);
      CHECK(all.index.select(1, static_cast<int64_t>(h)).equal(one.index));
      CHECK(all.count.select(1, static_cast<int64_t>(h)).equal(one.count));
    }
    CHECK(all.count.sum().item<int64_t>() > 1000);
  }
}

TEST_CASE("nested_cylinder_query: points exactly on the surfaces, every kernel against loops") {
  const at::Tensor lattice = ops::seeded_cloud(ops::CloudKind::lattice, 1, 257, 9);
  const at::Tensor query = lattice.narrow(1, 0, 33), axes = at::eye(3).expand({1, 33, 3, 3});
  const std::vector<double> ends = {0.25, -0.5, 0.125, std::numeric_limits<double>::infinity()};
  for (const auto& kernel : ops::nested_cylinder_query_kernels().kernels_on(at::kCPU)) {
    INFO(kernel.name);
    const ops::Neighbourhood found = kernel.run(query, lattice, axes, 0.25, -0.125, ends, 12);
    for (std::size_t h = 0; h < ends.size(); ++h) {
      const ops::Neighbourhood want =
          brute_force_cylinder(query, lattice, axes, 0.25, -0.125, ends[h], 12);
      CHECK(found.index.select(1, static_cast<int64_t>(h)).equal(want.index));
      CHECK(found.count.select(1, static_cast<int64_t>(h)).equal(want.count));
    }
  }
}

TEST_CASE("nested_cylinder_query: more ends than the kernel keeps apart go to the reference") {
  const auto call = ops::cylinder_query_scene(1, 2, 40, 4);
  const std::vector<double> ends(1001, 0.02);
  CHECK(ops::nested_cylinder_query_kernels()
            .choose(at::kCPU, call.query, call.support, call.rotation, call.radius, call.hmin, ends,
                    call.nsample)
            .name == "reference");
}

TEST_CASE("nested_cylinder_query: by name on arrays") {
  const auto call = ops::cylinder_query_scene(1, 10, 300, 4);
  const ops::NamedTensors found =
      ops::run_operator("nested_cylinder_query", {{"query", call.query},
                                                  {"support", call.support},
                                                  {"rotation", call.rotation},
                                                  {"hmax", at::tensor({0.02, 0.04}, at::kDouble)},
                                                  {"radius", "0.05"},
                                                  {"hmin", "-0.02"},
                                                  {"nsample", "4"}});
  CHECK(found.at("index").sizes() == at::IntArrayRef{1, 2, 10, 4});
  CHECK(found.at("count").sizes() == at::IntArrayRef{1, 2, 10});
}

TEST_CASE("nested_cylinder_query: empty calls and refused arguments") {
  const at::Tensor cloud = at::zeros({2, 5, 3}), axes = at::eye(3).expand({2, 5, 3, 3});
  const auto run = [&](const std::vector<double>& ends) {
    return ops::nested_cylinder_query(cloud, cloud, axes, 0.1, -1, ends, 3);
  };
  CHECK(ops::nested_cylinder_query(cloud.narrow(1, 0, 0), cloud, axes.narrow(1, 0, 0), 0.1, -1,
                                   {1, 2}, 3)
            .index.sizes() == at::IntArrayRef{2, 2, 0, 3});
  CHECK(ops::nested_cylinder_query(cloud, cloud.narrow(1, 0, 0), axes, 0.1, -1, {1}, 3)
            .count.sum()
            .item<int64_t>() == 0);
  const std::string op = "nested_cylinder_query";
  check_refused(op, "hmax is empty, wants at least one upper end", [&] { run({}); });
  check_refused(op, "hmax is NaN", [&] { run({0.1, std::numeric_limits<double>::quiet_NaN()}); });
  check_refused(op, "rotation has shape (2, 5, 3)",
                [&] { ops::nested_cylinder_query(cloud, cloud, cloud, 0.1, -1, {1}, 3); });
}

}  // namespace
}  // namespace grasppanda::tests
