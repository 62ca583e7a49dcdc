// The CPU kernels against their references: every instruction set of the machine, several numbers
// of threads, sizes around every vector, bucket, group and block width, clouds of the nasty kinds.
#include "lib/ops/point/cpu_kernels.h"

#include <ATen/Parallel.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/point/equivalence.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;

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

 private:
  int threads_;
  std::vector<Setting> all_;
  std::size_t calls_ = 0;
};

/// Randomised calls, each under the next of the settings.
Trials under(Settings& settings) {
  Trials trials;
  trials.sizes = sizes_around_every_width();
  trials.next_setting = [&settings] {
    const Setting& setting = settings.next();
    return setting.isa + ", " + std::to_string(setting.threads) + " threads";
  };
  return trials;
}

}  // namespace

TEST_CASE("furthest_point_sample on the CPU equals its reference") {
  Settings settings;
  CHECK(try_furthest_point_sample(ops::furthest_point_sample_cpu_kernel(), under(settings)) > 1300);
}

TEST_CASE("ball_query on the CPU equals its reference") {
  Settings settings;
  CHECK(try_ball_query(ops::ball_query_cpu_kernel(), under(settings)) > 600);
}

TEST_CASE("cylinder_query on the CPU equals its reference") {
  Settings settings;
  CHECK(try_cylinder_query(ops::cylinder_query_cpu_kernel(), under(settings)) > 480);
}

TEST_CASE("knn on the CPU equals its reference") {
  Settings settings;
  CHECK(try_knn(ops::knn_cpu_kernel(), under(settings)) > 800);
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
