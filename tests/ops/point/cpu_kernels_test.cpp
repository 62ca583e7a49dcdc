// The CPU kernels against their references: every instruction set of the machine, several numbers
// of threads, sizes around every vector, bucket, group and block width, clouds of the nasty kinds.
#include "lib/ops/point/cpu_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;

struct Width {
  int64_t points;
  const char* of;
};
const std::vector<Width> kWidths = {
    {2, "a vector of one lane, and one more"},
    {4, "a vector of SSE and NEON"},
    {8, "a vector of AVX2"},
    {16, "a vector of AVX-512; the buckets of a group"},
    {32, "a bucket; a block of the reference; a warp"},
    {64, "a word of the bitmap; where a cloud is sorted for knn"},
    {128, "four warps"},
    {256, "a small block of threads"},
    {512, "a group; a block of brute force; the threads of PointNet++"},
    {1024, "a large block of threads"},
    {1500, "where a cloud is sorted for sampling"},
    {2048, "where a cloud is sorted for balls and cylinders"},
    {4096, "a word of words of the bitmap"},
    {8192, "a group of groups"},
};
constexpr int kCallsPerSize = 20;
const std::vector<int> kThreads = {1, 2, 8};

struct Setting {
  std::string isa;
  int threads;
};

/// Settings in turn, and what was set before when it goes out of scope.
class Settings {
 public:
  Settings() : threads_(at::get_num_threads()) {
    for (const std::string& isa : ops::available_cpu_isas())
      for (const int threads : kThreads) all_.push_back({isa, threads});
  }
  ~Settings() {
    ops::use_cpu_isa("");
    at::set_num_threads(threads_);
  }
  const Setting& next() {
    const Setting& setting = all_[calls_++ % all_.size()];
    REQUIRE(ops::use_cpu_isa(setting.isa));
    REQUIRE(ops::cpu_isa() == setting.isa);  // the one asked for is the one that runs
    at::set_num_threads(setting.threads);
    return setting;
  }
  std::size_t calls() const { return calls_; }
  std::size_t size() const { return all_.size(); }

 private:
  int threads_;
  std::vector<Setting> all_;
  std::size_t calls_ = 0;
};

/// Calls of all sizes around all widths, drawn from seeds, each on the next setting.
template <class Kernel, class Call>
void check_against_reference(const Kernel& kernel, Call (*draw)(uint64_t, int64_t),
                             std::string (*compare)(const Kernel&, c10::Device, const Call&),
                             uint64_t seed, int calls_per_size = kCallsPerSize) {
  Settings settings;
  for (const Width& width : kWidths)
    for (const int64_t points : {width.points - 1, width.points, width.points + 1})
      for (int call = 0; call < calls_per_size; ++call, ++seed) {
        const Setting& setting = settings.next();
        const std::string difference = compare(kernel, at::kCPU, draw(seed, points));
        if (!difference.empty())
          FAIL_CHECK(setting.isa << ", " << setting.threads << " threads, seed " << seed << ", "
                                 << points << " points (" << width.of << "): " << difference);
      }
  CHECK(settings.calls() > 20 * settings.size());
}

}  // namespace

TEST_CASE("furthest_point_sample on the CPU equals its reference") {
  check_against_reference(ops::furthest_point_sample_cpu_kernel(),
                          ops::random_furthest_point_sample_case,
                          ops::compare_furthest_point_sample, 100000);
}

TEST_CASE("ball_query on the CPU equals its reference") {
  check_against_reference(ops::ball_query_cpu_kernel(), ops::random_ball_query_case,
                          ops::compare_ball_query, 200000);
}

TEST_CASE("cylinder_query on the CPU equals its reference") {
  check_against_reference(ops::cylinder_query_cpu_kernel(), ops::random_cylinder_query_case,
                          ops::compare_cylinder_query, 300000);
}

TEST_CASE("nested_cylinder_query on the CPU equals its reference") {
  check_against_reference(ops::nested_cylinder_query_cpu_kernel(),
                          ops::random_nested_cylinder_query_case,
                          ops::compare_nested_cylinder_query, 400000, 8);
}

TEST_CASE("knn on the CPU equals its reference") {
  check_against_reference(ops::knn_cpu_kernel(), ops::random_knn_case, ops::compare_knn, 500000);
}

TEST_CASE("calls as large as the models make them equal their references") {
  Settings settings;
  for (std::size_t turn = 0; turn < settings.size(); ++turn) {
    const Setting& setting = settings.next();
    INFO(setting.isa << ", " << setting.threads << " threads");
    const int64_t slots = turn % 2 == 0 ? 16 : 64;
    CHECK(ops::compare_ball_query(ops::ball_query_cpu_kernel(), at::kCPU,
                                  ops::ball_query_scene(1, 128, 15000, slots)) == "");
    CHECK(ops::compare_cylinder_query(ops::cylinder_query_cpu_kernel(), at::kCPU,
                                      ops::cylinder_query_scene(1, 128, 15000, slots)) == "");
    CHECK(ops::compare_knn(ops::knn_cpu_kernel(), at::kCPU,
                           ops::knn_scene(1, 200, 15000, turn % 2 == 0 ? 1 : 16)) == "");
    CHECK(ops::compare_knn(ops::knn_cpu_kernel(), at::kCPU, ops::knn_scene(1, 3000, 1024, 3)) ==
          "");
  }
  CHECK(settings.calls() >= 6);
  // Threads share the sort from 50 000 points on.
  const ThreadCount threads(3);
  for (const auto rule : {ops::TieBreak::lowest_index, ops::TieBreak::pointnet2_cuda})
    CHECK(ops::compare_furthest_point_sample(
              ops::furthest_point_sample_cpu_kernel(), at::kCPU,
              ops::furthest_point_sample_scene(1, 64, 60001, rule)) == "");
}

TEST_CASE("the kernels are what auto runs on the CPU") {
  CHECK(ops::furthest_point_sample_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::ball_query_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::cylinder_query_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::knn_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
}

TEST_CASE("cylinder_query: products below float32 are the reference's own") {
  const auto call = ops::cylinder_query_scene(1, 8, 300, 4);
  const auto chosen = [&] {
    return ops::cylinder_query_kernels()
        .choose(at::kCPU, call.query, call.support, call.rotation, call.radius, call.hmin,
                call.hmax, call.nsample)
        .name;
  };
  const auto nested = [&] {
    return ops::nested_cylinder_query_kernels()
        .choose(at::kCPU, call.query, call.support, call.rotation, call.radius, call.hmin,
                {0.02, 0.04}, call.nsample)
        .name;
  };
  CHECK(chosen() == "cpu");
  CHECK(nested() == "cpu");
  SECTION("under autocast") {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    CHECK(chosen() == "reference");
    CHECK(nested() == "reference");
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  SECTION("where TF32 or bfloat16 products are allowed") {
    for (const char* precision : {"high", "medium"}) {
      at::globalContext().setFloat32MatmulPrecision(precision);
      CHECK(chosen() == "reference");
      CHECK(nested() == "reference");
    }
    at::globalContext().setFloat32MatmulPrecision("highest");
  }
  CHECK(chosen() == "cpu");
}

TEST_CASE("a forked child runs the operators on one thread and ends") {
  const int threads = at::get_num_threads();
  at::set_num_threads(4);
  const at::Tensor cloud = ops::seeded_cloud(CloudKind::table_top, 1, 5000, 1);
  const at::Tensor lattice = ops::seeded_cloud(CloudKind::lattice, 1, 3000, 1);
  const at::Tensor axes = at::eye(3).expand({1, 3000, 3, 3}).contiguous();
  // Sizes at which LibTorch itself goes parallel; a lattice's cylinders are handed back.
  const auto run = [&] {
    const ops::NearestNeighbours near = ops::knn(cloud, cloud, 3);
    std::vector<at::Tensor> all = {near.index, near.distance};
    all.push_back(ops::cylinder_query(lattice, lattice, axes, 1.0, -1.0, 1.0, 16).index);
    const ops::ScopedBackends references(ops::all_backends(ops::Backend::reference));
    all.push_back(ops::ball_query(cloud, cloud, 0.05, 16).index);
    const at::Tensor some = cloud[0].narrow(0, 0, 1000);
    all.push_back(at::mm(some, some.t()).sum(0));
    return all;
  };
  const std::vector<at::Tensor> want = run();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::vector<at::Tensor> got = run();
    bool equal = got.size() == want.size();
    // The product's sums may be cut in other places on one thread.
    for (std::size_t i = 0; equal && i < got.size(); ++i)
      equal = i + 1 < got.size() ? got[i].equal(want[i]) : got[i].allclose(want[i], 1e-3);
    _exit(equal ? 0 : 1);
  }
  int status = -1;
  pid_t ended = 0;
  for (int wait = 0; wait < 500 && ended == 0; ++wait) {
    ended = waitpid(child, &status, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (ended == 0) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  CHECK(ended == child);
  CHECK(status == 0);
  at::set_num_threads(threads);
}

TEST_CASE("kernels serve several callers at once") {
  const ThreadCount put_back(at::get_num_threads());
  const at::Tensor cloud = ops::seeded_cloud(CloudKind::table_top, 1, 6000, 2);
  const at::Tensor seeds = cloud.narrow(1, 0, 300).contiguous();
  const at::Tensor axes = ops::seeded_rotations(1, 300, 3);
  const auto run = [&] {
    return std::vector<at::Tensor>{
        ops::furthest_point_sample(cloud, 200, true, ops::TieBreak::lowest_index),
        ops::ball_query(seeds, cloud, 0.04, 32).index,
        ops::cylinder_query(seeds, cloud, axes, 0.05, -0.02, 0.04, 32).index,
        ops::knn(cloud, seeds, 3).squared};
  };
  const std::vector<at::Tensor> want = run();
  std::atomic<int> wrong = 0, calls = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      // Half of the callers have a team of their own.
      at::set_num_threads(caller % 2 + 1);
      for (int round = 0; round < 5; ++round, ++calls) {
        const std::vector<at::Tensor> got = run();
        for (std::size_t i = 0; i < want.size(); ++i) wrong += got[i].equal(want[i]) ? 0 : 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(calls == 40);
  CHECK(wrong == 0);
}

}  // namespace grasppanda::tests
