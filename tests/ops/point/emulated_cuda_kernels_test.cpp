// The CUDA kernels on the CPU, thread by thread, against the references with CUDA's order of
// addition: their logic is tested where there is no GPU.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lib/ops/point/cuda_kernels.h"
#include "lib/ops/point/furthest_point_sample_cuda.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/point/emulated_cuda_kernels.h"
#include "tests/support/cuda_emulation.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;

ops::CudaKernels kernels() {
  return ops::cuda_kernels_of(emulated_cuda_functions());
}

/// Around a warp, a run of points, the points of a block in registers, where boxes begin.
const std::vector<int64_t> kSizes = {1,   2,   31,  32,   33,   127,  128,  129,
                                     511, 512, 513, 1023, 1024, 1025, 2048, 2049};

/// Random calls of every size, `compare` with the reference; the number of them.
template <class Call>
int try_calls(int calls_per_size, Call (*draw)(uint64_t, int64_t),
              const std::function<std::string(const Call&)>& compare) {
  int calls = 0;
  for (const int64_t points : kSizes)
    for (int call = 0; call < calls_per_size; ++call) {
      const auto seed = static_cast<uint64_t>(++calls);
      const std::string difference = compare(draw(seed, points));
      if (!difference.empty()) FAIL_CHECK(points << " points, seed " << seed << ": " << difference);
    }
  return calls;
}

std::string difference_of(const ops::Neighbourhood& got, const ops::Neighbourhood& want) {
  const std::string index = ops::first_difference("index", got.index, want.index);
  return index.empty() ? ops::first_difference("count", got.count, want.count) : index;
}

// With CUDA's order of addition, which the CPU's own comparison does not take.
std::string compare_ball_query(const ops::BallQueryCase& call) {
  const auto last = ops::SumOrder::middle_last;
  return difference_of(
      kernels().ball_query.run(call.query, call.support, call.radius, call.nsample, last),
      ops::ball_query_reference(call.query, call.support, call.radius, call.nsample, last));
}

std::string compare_knn(const at::Tensor& query, const at::Tensor& support, int64_t k) {
  const auto last = ops::SumOrder::middle_last;
  const auto got = kernels().knn.run(query, support, k, last);
  const auto want = ops::knn_reference(query, support, k, last);
  const std::string index = ops::first_difference("index", got.index, want.index);
  return index.empty() ? ops::first_difference("squared", got.squared, want.squared) : index;
}

/// How many blocks the emulated device holds at once, until the end of the scope.
class Device {
 public:
  explicit Device(int blocks) : before_(emulation::most_blocks_together()) {
    emulation::set_most_blocks_together(blocks);
  }
  ~Device() { emulation::set_most_blocks_together(before_); }

 private:
  int before_;
};

}  // namespace

TEST_CASE("emulated CUDA: furthest_point_sample equals its reference") {
  const auto kernel = kernels().furthest_point_sample;
  CHECK(try_calls<ops::FurthestPointSampleCase>(
            6, ops::random_furthest_point_sample_case, [&](const auto& call) {
              return ops::compare_furthest_point_sample(kernel, at::kCPU, call);
            }) > 90);
}

TEST_CASE("emulated CUDA: furthest_point_sample with several blocks a cloud") {
  const Device device(7);
  const auto before = emulation::launches();
  const auto kernel = kernels().furthest_point_sample;
  // Three blocks hold 4 points a thread each or two hold 16; the last does not fit in registers.
  for (const int64_t points : {int64_t{8193}, int64_t{16385}, int64_t{70000}})
    for (const CloudKind kind : {CloudKind::lattice, CloudKind::table_top, CloudKind::non_finite})
      for (const auto tie : {ops::TieBreak::lowest_index, ops::TieBreak::pointnet2_cuda}) {
        const at::Tensor cloud = ops::seeded_cloud(kind, 1, points, 77);
        const std::string difference =
            ops::first_difference("index", kernel.run(cloud, 6, true, tie),
                                  ops::furthest_point_sample_reference(cloud, 6, true, tie));
        CHECK(difference == "");
      }
  CHECK(emulation::launches().together == before.together + 18);
}

TEST_CASE("emulated CUDA: furthest_point_sample where blocks cannot wait for each other") {
  const Device device(0);
  const auto before = emulation::launches();
  const at::Tensor cloud = ops::seeded_cloud(CloudKind::lattice, 2, 8300, 5);
  CHECK(kernels()
            .furthest_point_sample.run(cloud, 20, false, ops::TieBreak::pointnet2_cuda)
            .equal(ops::furthest_point_sample_reference(cloud, 20, false,
                                                        ops::TieBreak::pointnet2_cuda)));
  CHECK(emulation::launches().together == before.together);
}

TEST_CASE("emulated CUDA: ball_query equals its reference") {
  for (const auto& call : ops::ball_query_cases()) CHECK(compare_ball_query(call) == "");
  CHECK(try_calls<ops::BallQueryCase>(8, ops::random_ball_query_case, compare_ball_query) > 120);
}

TEST_CASE("emulated CUDA: cylinder_query equals its reference") {
  const auto kernel = kernels().cylinder_query;
  CHECK(ops::check_cylinder_query(kernel, at::kCPU) == "");
  CHECK(
      try_calls<ops::CylinderQueryCase>(16, ops::random_cylinder_query_case, [&](const auto& call) {
        return ops::compare_cylinder_query(kernel, at::kCPU, call);
      }) > 120);
}

TEST_CASE("emulated CUDA: knn equals its reference, one warp a query") {
  for (const auto& call : ops::knn_cases())
    CHECK(compare_knn(call.query, call.support, call.k) == "");
  CHECK(try_calls<ops::KnnCase>(8, ops::random_knn_case, [](const auto& call) {
          const int64_t few = std::min<int64_t>(call.query.size(1), 12);
          return compare_knn(call.query.narrow(1, 0, few), call.support, call.k);
        }) > 120);
}

TEST_CASE("emulated CUDA: knn equals its reference, one thread a query") {
  for (const CloudKind kind : {CloudKind::lattice, CloudKind::non_finite})
    for (const int64_t points : {3, 512, 513})
      for (const int64_t k : {1, 2, 3}) {
        const at::Tensor query = ops::seeded_cloud(kind, 2, 4100, 9);
        const at::Tensor support = ops::seeded_cloud(kind, 2, points, 10);
        CHECK(compare_knn(query, support, k) == "");
      }
}

TEST_CASE("emulated CUDA: nested cylinders in one pass equal one call for each") {
  const auto kernel = kernels().nested_cylinder_query;
  for (const auto& call : ops::nested_cylinder_query_cases()) {
    INFO(call.name);
    CHECK(ops::compare_nested_cylinder_query(kernel, at::kCPU, call) == "");
  }
  for (uint64_t seed = 1; seed <= 40; ++seed)
    CHECK(ops::compare_nested_cylinder_query(
              kernel, at::kCPU,
              ops::random_nested_cylinder_query_case(seed, static_cast<int64_t>(17 * seed))) == "");
}

TEST_CASE("emulated CUDA: what the cylinder kernel hands back") {
  // Axis-aligned over a lattice: points exactly on the surface cannot be decided, others must be.
  const ops::CudaFunctions functions = emulated_cuda_functions();
  const auto handed_back = [&](const at::Tensor& cloud, float squared_radius) {
    const int64_t n = cloud.size(1);
    const at::Tensor rotation = at::eye(3).expand({1, n, 3, 3}).contiguous();
    at::Tensor index = at::empty({1, n, 8}, at::kLong), count = at::empty({1, n}, at::kLong),
               flags = at::empty({1, n}, at::kByte);
    const float end = 0.2F;
    REQUIRE(functions.cylinder_query(
                {}, cloud.const_data_ptr<float>(), n, cloud.const_data_ptr<float>(), n,
                rotation.const_data_ptr<float>(), 1, squared_radius, -0.2F, &end, 1, 8, nullptr,
                index.mutable_data_ptr<int64_t>(), count.mutable_data_ptr<int64_t>(),
                flags.mutable_data_ptr<uint8_t>()) == nullptr);
    return flags.sum().item<int64_t>();
  };
  const at::Tensor lattice = ops::seeded_cloud(CloudKind::lattice, 1, 100, 8);
  CHECK(handed_back(lattice, 0.125F * 0.125F) > 0);
  CHECK(handed_back(lattice, 0.13F * 0.13F) == 0);
  CHECK(handed_back(ops::seeded_cloud(CloudKind::table_top, 1, 900, 8), 0.05F * 0.05F) <= 2);
}

TEST_CASE("the rank of both tie rules is an order of preference and has an inverse") {
  for (const int64_t points : {1, 2, 3, 31, 511, 512, 513, 1000, 40000})
    for (const bool pointnet2 : {false, true}) {
      const auto preference = ops::device::PreferenceRank::of(points, pointnet2);
      const at::Tensor order = ops::preference_order(
          points, pointnet2 ? ops::TieBreak::pointnet2_cuda : ops::TieBreak::lowest_index);
      const int64_t* index = order.const_data_ptr<int64_t>();
      bool ascending = true, inverse = true;
      for (int64_t place = 0; place < points; ++place) {
        const auto rank = preference.of_index(static_cast<uint32_t>(index[place]));
        inverse = inverse && preference.index(rank) == index[place];
        ascending =
            ascending &&
            (place == 0 || preference.of_index(static_cast<uint32_t>(index[place - 1])) < rank);
      }
      CHECK(ascending);
      CHECK(inverse);
    }
}

TEST_CASE("a sampling key orders by distance, NaN first, then by preference") {
  using namespace ops::device;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Key> descending = {
      sampling_key(nan, 0),  sampling_key(-nan, 7),           sampling_key(kInfinity, 2),
      sampling_key(2.0F, 0), sampling_key(2.0F, 1),           sampling_key(1e-40F, 5),
      sampling_key(0.0F, 0), sampling_key(0.0F, 0x7ffffffeU), Key{0}};
  CHECK(std::is_sorted(descending.rbegin(), descending.rend()));
  CHECK(std::adjacent_find(descending.begin(), descending.end()) == descending.end());
  CHECK(is_nan(updated(nan, 1.0F)));
  CHECK(is_nan(updated(1.0F, nan)));
  CHECK(updated(1.0F, 2.0F) == 1.0F);
  CHECK(updated(kInfinity, 2.0F) == 2.0F);
}

TEST_CASE("the emulation notices threads that wait for ever") {
  CHECK(emulation::run_blocks(1, 64, [] {
          if (threadIdx.x != 5) __syncthreads();
        }) != nullptr);
  int sum = 0;
  CHECK(emulation::run_blocks(2, 64, [&] {
          __syncthreads();
          sum += __ballot_sync(0xffffffffU, threadIdx.x % 2 == 0) == 0x55555555U ? 1 : 1000;
        }) == nullptr);
  CHECK(sum == 128);
}

}  // namespace grasppanda::tests
