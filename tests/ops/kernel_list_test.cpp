// Choice, self-check and fallback, on a real operator with other kernels before its reference.
#include "lib/ops/kernel_list.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/ops/log.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using ops::Backend;
using ops::BallQueryFn;
using BallKernel = ops::Kernel<BallQueryFn>;

// The reference under another name, counting its runs.
BallKernel sound_kernel(std::atomic<int>& runs) {
  return {"sound",
          {},
          {},
          [&runs](const at::Tensor& query, const at::Tensor& support, double radius,
                  int64_t nsample, ops::SumOrder order) {
            ++runs;
            return ops::ball_query_reference(query, support, radius, nsample, order);
          }};
}

// Takes points on the surface for hits: the kind of fault that only nasty clouds show.
BallKernel broken_kernel() {
  return {"broken",
          {},
          {},
          [](const at::Tensor& query, const at::Tensor& support, double radius, int64_t nsample,
             ops::SumOrder order) {
            return ops::ball_query_reference(query, support, radius * (1 + 1e-6), nsample, order);
          }};
}

struct CapturedLog {
  CapturedLog() {
    previous = ops::set_log_sink([this](std::string_view line) { lines.emplace_back(line); });
  }
  ~CapturedLog() { ops::set_log_sink(previous); }
  std::vector<std::string> lines;  // the sink is called by one thread at a time
  ops::LogSink previous;
};

const at::Tensor& cloud() {
  static const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::lattice, 1, 50, 1);
  return cloud;
}
ops::Neighbourhood query() {
  return ops::ball_query(cloud(), cloud(), 0.25, 4);
}
std::string chosen() {
  return ops::ball_query_kernels()
      .choose(at::kCPU, cloud(), cloud(), 0.25, 4, ops::SumOrder::left_to_right)
      .name;
}

TEST_CASE("auto takes the first sound kernel, reference never") {
  std::atomic<int> runs{0};
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {sound_kernel(runs)});
  {
    const ops::ScopedBackends reference(ops::all_backends(Backend::reference));
    query();
    CHECK(runs == 0);  // not even its self-check
    CHECK(chosen() == "reference");
  }
  CHECK(chosen() == "sound");
  const int checks = runs;
  CHECK(checks > 5);
  query();
  CHECK(runs == checks + 1);
  CHECK(ops::ball_query_kernels().settle(at::kCPU).backend == Backend::compiled);
  CHECK(ops::ball_query_kernels().settle(at::kCPU).note == "");
  const ops::ScopedBackends compiled(ops::all_backends(Backend::compiled));
  CHECK(chosen() == "sound");
}

TEST_CASE("a broken kernel is caught, disabled and logged once; the result stays right") {
  const ops::Neighbourhood want =
      ops::ball_query_reference(cloud(), cloud(), 0.25, 4, ops::SumOrder::left_to_right);
  CapturedLog log;
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {broken_kernel()});
  for (int i = 0; i < 3; ++i) CHECK(query().index.equal(want.index));
  CHECK(chosen() == "reference");
  REQUIRE(log.lines.size() == 1);
  INFO(log.lines[0]);
  CHECK(log.lines[0].find("ball_query kernel 'broken' on cpu") == 0);
  CHECK(log.lines[0].find("the reference has") != std::string::npos);

  const ops::Settled settled = ops::ball_query_kernels().settle(at::kCPU);
  CHECK(settled.backend == Backend::reference);
  CHECK(settled.note.find("kernel 'broken' failed its self-check") == 0);
  const ops::BackendReport report = ops::backend_report();
  CHECK(report.operators[1].key == "ball_query");
  CHECK(report.operators[1].note.at("cpu") == settled.note);
  CHECK(log.lines.size() == 1);

  SECTION("asked for by name it is an error that says why") {
    const ops::ScopedBackends compiled(ops::all_backends(Backend::compiled));
    CHECK_THROWS_AS(query(), ops::BackendError);
    try {
      ops::select_backends(ops::all_backends(Backend::compiled), "cpu");
      FAIL("accepted");
    } catch (const ops::BackendError& error) {
      CHECK(std::string(error.what()).find("cpu") != std::string::npos);
    }
  }
}

TEST_CASE("a kernel that throws in its self-check is not used") {
  CapturedLog log;
  const BallKernel throwing{"throwing", {}, {}, [](const auto&...) -> ops::Neighbourhood {
                              throw std::runtime_error("no such instruction");
                            }};
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {throwing});
  CHECK(chosen() == "reference");
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines[0].find("no such instruction") != std::string::npos);
}

TEST_CASE("behind a broken kernel a sound one runs") {
  std::atomic<int> runs{0};
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(),
                                              {broken_kernel(), sound_kernel(runs)});
  CHECK(chosen() == "sound");
}

TEST_CASE("declined calls go on call by call, also with an explicit compiled") {
  std::atomic<int> runs{0};
  BallKernel kernel = sound_kernel(runs);
  kernel.declines = [](const at::Tensor& query, const auto&...) {
    return query.scalar_type() == at::kFloat ? ops::Reason{} : "float32 only";
  };
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {kernel});
  for (const Backend backend : {Backend::automatic, Backend::compiled}) {
    const ops::ScopedBackends choice(ops::all_backends(backend));
    CHECK(chosen() == "sound");
    const int before = runs;
    const at::Tensor wide = cloud().to(at::kDouble);
    ops::ball_query(wide, wide, 0.25, 4);
    CHECK(runs == before);
    query();
    CHECK(runs == before + 1);
  }
}

TEST_CASE("a kernel that is missing on a device is an error only when asked for by name") {
  std::atomic<int> runs{0};
  BallKernel kernel = sound_kernel(runs);
  kernel.missing = [](c10::DeviceType) { return "this build has no such kernel"; };
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {kernel});
  CHECK(chosen() == "reference");
  CHECK(runs == 0);
  CHECK(ops::ball_query_kernels().settle(at::kCPU).note == "this build has no such kernel");
  const ops::ScopedBackends compiled(ops::all_backends(Backend::compiled));
  try {
    query();
    FAIL("ran");
  } catch (const ops::BackendError& error) {
    CHECK(std::string(error.what()).find("ball_query: no compiled kernel for cpu") == 0);
    CHECK(std::string(error.what()).find("this build has no such kernel") != std::string::npos);
  }
}

TEST_CASE("many threads call for the first time: one check, one line, right results") {
  const ops::Neighbourhood want =
      ops::ball_query_reference(cloud(), cloud(), 0.25, 4, ops::SumOrder::left_to_right);
  for (int round = 0; round < 5; ++round) {
    CapturedLog log;
    std::atomic<int> runs{0}, wrong{0};
    const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(),
                                                {broken_kernel(), sound_kernel(runs)});
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int call = 0; call < 3; ++call) wrong += !query().index.equal(want.index);
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(log.lines.size() == 1);
    CHECK(runs == 24 + static_cast<int>(ops::ball_query_cases().size()));
  }
}

TEST_CASE("selecting compiled where it cannot run changes nothing") {
  const ops::BackendChoice before = ops::current_backends();
  ops::BackendChoice demanding;
  demanding.ball_query = Backend::compiled;
  std::atomic<int> runs{0};
  {
    const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {broken_kernel()});
    CHECK_THROWS_AS(ops::select_backends(demanding, "cpu"), ops::BackendError);
    CHECK(ops::current_backends() == before);
  }
  const ops::ScopedKernels<BallQueryFn> scope(ops::ball_query_kernels(), {sound_kernel(runs)});
  ops::select_backends(demanding, "cpu");
  CHECK(ops::current_backends() == demanding);
  ops::select_backends(before, "cpu");
}

TEST_CASE("self-checks see the faults that kernels of this kind have") {
  using ops::FurthestPointSampleFn;
  using ops::KnnFn;
  const auto differs = [](const std::string& difference) { return !difference.empty(); };

  SECTION("sampling: the other tie rule, NaN ignored, near-origin points kept") {
    const auto check = [](auto run) {
      return ops::check_furthest_point_sample({"x", {}, {}, run}, at::kCPU);
    };
    const auto reference = ops::furthest_point_sample_reference;
    CHECK(check(reference) == "");
    CHECK(differs(check([&](const at::Tensor& points, int64_t samples, bool skip, ops::TieBreak) {
      return reference(points, samples, skip, ops::TieBreak::lowest_index);
    })));
    CHECK(differs(check([&](const at::Tensor& points, int64_t samples, bool, ops::TieBreak rule) {
      return reference(points, samples, false, rule);
    })));
    CHECK(differs(
        check([&](const at::Tensor& points, int64_t samples, bool skip, ops::TieBreak rule) {
          return reference(points.nan_to_num(0), samples, skip, rule);
        })));
  }
  SECTION("neighbours: the other order of addition, an unstable order, squares in double") {
    const auto check = [](auto run) { return ops::check_knn({"x", {}, {}, run}, at::kCPU); };
    const auto reference = ops::knn_reference;
    CHECK(check(reference) == "");
    CHECK(differs(
        check([&](const at::Tensor& query, const at::Tensor& support, int64_t k, ops::SumOrder) {
          return reference(query, support, k, ops::SumOrder::middle_last);
        })));
    CHECK(differs(check(
        [&](const at::Tensor& query, const at::Tensor& support, int64_t k, ops::SumOrder order) {
          ops::SquaredNeighbours found = reference(query, support.flip({1}), k, order);
          found.index = found.index.neg().add(support.size(1) - 1);
          return found;
        })));
    CHECK(differs(check(
        [&](const at::Tensor& query, const at::Tensor& support, int64_t k, ops::SumOrder order) {
          ops::SquaredNeighbours found =
              reference(query.to(at::kDouble), support.to(at::kDouble), k, order);
          found.squared = found.squared.to(at::kFloat);
          return found;
        })));
  }
  SECTION("balls: the other order of addition, the square of the rounded radius") {
    const auto check = [](auto run) { return ops::check_ball_query({"x", {}, {}, run}, at::kCPU); };
    const auto reference = ops::ball_query_reference;
    CHECK(check(reference) == "");
    CHECK(differs(check([&](const at::Tensor& query, const at::Tensor& support, double radius,
                            int64_t nsample, ops::SumOrder) {
      return reference(query, support, radius, nsample, ops::SumOrder::middle_last);
    })));
  }
}

}  // namespace
}  // namespace grasppanda::tests
