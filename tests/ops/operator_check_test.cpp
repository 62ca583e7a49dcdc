// What `ops check` says, and that it says so when a kernel is wrong.
#include "lib/ops/operator_check.h"

#include <ATen/Parallel.h>

#include <set>
#include <string>
#include <vector>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/point/knn.h"
#include "tests/catch.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

std::vector<ops::OperatorCheck> checked(int64_t calls, uint64_t seed = 1,
                                        std::string_view only = {}) {
  std::vector<ops::OperatorCheck> all;
  ops::check_operators({.device = at::kCPU, .calls = calls, .seed = seed, .only = only},
                       [&](const ops::OperatorCheck& check) { all.push_back(check); });
  return all;
}

TEST_CASE("ops check: every kernel runs on every instruction set and agrees") {
  const ThreadCount threads(3);
  const std::string isa = ops::cpu_isa();
  std::set<std::string_view> names;
  for (const ops::OperatorCheck& check : checked(30)) {
    INFO(ops::check_line(check));
    names.insert(check.name);
    CHECK(check.agrees());
    CHECK(check.any_ran());
    CHECK(check.settings.size() == 3 * ops::available_cpu_isas().size());
    REQUIRE(check.kernels.size() >= 1);
    CHECK(check.kernels.back().kernel == "cpu");
    CHECK(check.kernels.back().calls ==
          30 + static_cast<int64_t>(ops::available_cpu_isas().size()));
    CHECK(ops::check_line(check).find(" calls equal the reference") != std::string::npos);
  }
  CHECK(names == std::set<std::string_view>{"fps", "ball_query", "cylinder_query",
                                            "nested_cylinder_query", "knn", "sparse_convolution",
                                            "rotated_iou", "rotated_nms", "sampled_iou",
                                            "sampled_nms", "roi_align"});
  CHECK(at::get_num_threads() == 3);  // as it was before
  CHECK(ops::cpu_isa() == isa);
}

/// Right but for calls with many queries, which no self-check makes.
ops::Kernel<ops::KnnFn> subtly_broken() {
  return {"broken",
          {},
          {},
          [](const at::Tensor& query, const at::Tensor& support, int64_t k, ops::SumOrder order) {
            ops::SquaredNeighbours found = ops::knn_reference(query, support, k, order);
            if (query.size(1) == 300) found.index.select(1, 299).add_(1);
            return found;
          }};
}

TEST_CASE("ops check: a difference is found, named, and found again by its seed") {
  const ops::ScopedKernels<ops::KnnFn> scope(ops::knn_kernels(), {subtly_broken()});
  const ops::OperatorCheck found = checked(200, 1, "knn").back();
  REQUIRE(found.name == "knn");
  CHECK_FALSE(found.agrees());
  const std::string difference = found.kernels.at(0).difference;
  INFO(difference);
  REQUIRE(difference.find("--seed ") == 0);
  CHECK(difference.find("index[") != std::string::npos);
  CHECK(ops::check_line(found).find("knn: broken: DIFFERS, --seed ") == 0);

  const uint64_t seed = std::stoull(difference.substr(std::string("--seed ").size()));
  CHECK(checked(1, seed, "knn").back().kernels.at(0).difference == difference);
  CHECK(checked(0, 1, "knn").back().agrees());  // the self-check alone does not see it
}

TEST_CASE("ops check: a kernel that is not there is said to be") {
  ops::Kernel<ops::KnnFn> kernel = subtly_broken();
  kernel.missing = [](c10::DeviceType) { return "no such device"; };
  const ops::ScopedKernels<ops::KnnFn> scope(ops::knn_kernels(), {kernel});
  const ops::OperatorCheck check = checked(1, 1, "knn").back();
  CHECK(check.agrees());
  CHECK_FALSE(check.any_ran());
  CHECK(ops::check_line(check) == "knn: broken: not run, no such device");
}

}  // namespace
}  // namespace grasppanda::tests
