// The CPU kernels against their references: every instruction set of the machine, several numbers
// of threads, sizes around every vector, bucket, group and block width, clouds of the nasty kinds.
#include "lib/ops/point/cpu_kernels.h"

#include <ATen/Parallel.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;

const std::vector<CloudKind> kKinds = {CloudKind::uniform,   CloudKind::lattice,
                                       CloudKind::repeated,  CloudKind::origin,
                                       CloudKind::table_top, CloudKind::non_finite};
// N - 1, N, N + 1 of: a vector of 4, 8, 16; a bucket of 32; a bitmap word of 64; a block of 512 and
// a group of 16 buckets; where sorting begins to pay; two groups of groups.
const std::vector<int64_t> kSizes = {1,    3,    4,    5,    7,    8,    9,    15,  16,  17,
                                     31,   32,   33,   63,   64,   65,   511,  512, 513, 1499,
                                     1500, 1501, 2047, 2048, 2049, 8191, 8192, 8193};
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

std::string describe(const Setting& setting, CloudKind kind, int64_t points, uint64_t seed) {
  return setting.isa + ", " + std::to_string(setting.threads) + " threads, kind " +
         std::to_string(static_cast<int>(kind)) + ", " + std::to_string(points) + " points, seed " +
         std::to_string(seed);
}

/// Every second call gets a view that is not contiguous.
at::Tensor maybe_strided(const at::Tensor& cloud, uint64_t seed) {
  return seed % 2 == 0 ? cloud : cloud.transpose(1, 2).contiguous().transpose(1, 2);
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return ops::first_difference("", a, b).empty();
}

}  // namespace

TEST_CASE("furthest_point_sample on the CPU equals its reference") {
  Settings settings;
  const auto kernel = ops::furthest_point_sample_cpu_kernel();
  uint64_t seed = 0;
  for (const int64_t points : kSizes)
    for (const CloudKind kind : kKinds)
      for (int variant = 0; variant < 8; ++variant, ++seed) {
        const Setting& setting = settings.next();
        const bool skip = variant % 2 != 0;
        const auto tie =
            variant % 4 < 2 ? ops::TieBreak::lowest_index : ops::TieBreak::pointnet2_cuda;
        const int64_t samples = variant < 4 ? 40 : 7;
        const at::Tensor cloud =
            maybe_strided(ops::seeded_cloud(kind, 1 + seed % 3, points, seed), seed);
        if (!same(kernel.run(cloud, samples, skip, tie),
                  ops::furthest_point_sample_reference(cloud, samples, skip, tie)))
          FAIL_CHECK(describe(setting, kind, points, seed) << ", variant " << variant);
      }
  CHECK(settings.calls() > 1300);
}

TEST_CASE("ball_query on the CPU equals its reference") {
  Settings settings;
  const auto kernel = ops::ball_query_cpu_kernel();
  uint64_t seed = 10000;
  for (const int64_t points : kSizes)
    for (const CloudKind kind : kKinds)
      for (const double radius : {0.0, 0.03, 0.25, std::numeric_limits<double>::infinity()}) {
        const Setting& setting = settings.next();
        ++seed;
        const int64_t queries = seed % 5 == 0 ? 70 : 9, nsample = seed % 3 == 0 ? 64 : 5;
        const at::Tensor support = maybe_strided(ops::seeded_cloud(kind, 2, points, seed), seed);
        const at::Tensor query = points >= queries ? support.narrow(1, 0, queries)
                                                   : ops::seeded_cloud(kind, 2, queries, seed + 1);
        const auto got = kernel.run(query, support, radius, nsample, ops::SumOrder::left_to_right);
        const auto want = ops::ball_query_reference(query, support, radius, nsample,
                                                    ops::SumOrder::left_to_right);
        if (!same(got.index, want.index) || !same(got.count, want.count))
          FAIL_CHECK(describe(setting, kind, points, seed) << ", radius " << radius);
      }
  CHECK(settings.calls() > 600);
}

TEST_CASE("cylinder_query on the CPU equals its reference") {
  Settings settings;
  const auto kernel = ops::cylinder_query_cpu_kernel();
  uint64_t seed = 20000;
  for (const int64_t points : kSizes)
    for (const CloudKind kind : kKinds)
      for (int variant = 0; variant < 3; ++variant) {
        const Setting& setting = settings.next();
        ++seed;
        const int64_t queries = seed % 5 == 0 ? 70 : 9, nsample = seed % 3 == 0 ? 64 : 5;
        const double radius = variant == 0 ? 0.05 : 0.3;
        const at::Tensor support = maybe_strided(ops::seeded_cloud(kind, 2, points, seed), seed);
        const at::Tensor query = points >= queries ? support.narrow(1, 0, queries)
                                                   : ops::seeded_cloud(kind, 2, queries, seed + 1);
        // The last variant is no rotation: the sphere around the cylinder must not be relied on.
        at::Tensor rotation = ops::seeded_rotations(2, queries, seed + 2);
        if (variant == 2) rotation = rotation * 0.5;
        const auto got = kernel.run(query, support, rotation, radius, -0.02, 0.2, nsample);
        const auto want =
            ops::cylinder_query_reference(query, support, rotation, radius, -0.02, 0.2, nsample);
        if (!same(got.index, want.index) || !same(got.count, want.count))
          FAIL_CHECK(describe(setting, kind, points, seed) << ", variant " << variant);
      }
  CHECK(settings.calls() > 480);
}

TEST_CASE("knn on the CPU equals its reference") {
  Settings settings;
  const auto kernel = ops::knn_cpu_kernel();
  uint64_t seed = 30000;
  for (const int64_t points : kSizes)
    for (const CloudKind kind : kKinds)
      for (const int64_t wanted : {1, 3, 4, 9, 64}) {
        const Setting& setting = settings.next();
        ++seed;
        const int64_t k = std::min(wanted, points), queries = seed % 4 == 0 ? 300 : 40;
        const at::Tensor support = maybe_strided(ops::seeded_cloud(kind, 2, points, seed), seed);
        const at::Tensor query = ops::seeded_cloud(kind, 2, queries, seed + 1);
        const auto got = kernel.run(query, support, k, ops::SumOrder::left_to_right);
        const auto want = ops::knn_reference(query, support, k, ops::SumOrder::left_to_right);
        if (!same(got.index, want.index) || !same(got.squared, want.squared))
          FAIL_CHECK(describe(setting, kind, points, seed) << ", k " << k);
      }
  CHECK(settings.calls() > 800);
}

TEST_CASE("the kernels are what auto runs on the CPU") {
  CHECK(ops::furthest_point_sample_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::ball_query_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::cylinder_query_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
  CHECK(ops::knn_kernels().settle(at::kCPU).backend == ops::Backend::compiled);
}

TEST_CASE("a forked child runs the kernels on one thread and ends") {
  const int threads = at::get_num_threads();
  at::set_num_threads(4);
  const at::Tensor cloud = ops::seeded_cloud(CloudKind::table_top, 1, 5000, 1);
  const auto run = [&] {
    return ops::knn_cpu_kernel().run(cloud, cloud, 3, ops::SumOrder::left_to_right).index;
  };
  const at::Tensor want = run();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(run().equal(want) ? 0 : 1);
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

}  // namespace grasppanda::tests
