// The point operators on a recorded frame: its density, its raster order, its real neighbourhoods.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/cylinder_query_cpu.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/models/recorded_frame.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("cylinder_query on a recorded frame: few queries go back to the reference") {
  GP_NEED_DATA(folder, "data/frames/graspnet_example");
  const at::Tensor all = recorded_cloud(folder).to(at::kFloat);
  // 15 000 points of the frame, as the graspness network samples them, and 1024 seeds of those.
  const int64_t step = std::max<int64_t>(1, all.size(0) / 15000);
  const at::Tensor support = all.slice(0, 0, 15000 * step, step).contiguous();
  REQUIRE(support.size(0) > 10000);
  const at::Tensor seeds = ops::furthest_point_sample(support.unsqueeze(0), 1024, true).squeeze(0);
  const at::Tensor query = support.index_select(0, seeds);
  const int64_t m = query.size(0), n = support.size(0), rounds = 8, nsample = 64;

  int64_t handed_back = 0, hits = 0;
  const std::array<double, 4> ends = {0.01, 0.02, 0.03, 0.04};
  std::vector<int64_t> index(static_cast<std::size_t>(4 * m * nsample)), count(4 * m);
  std::vector<uint8_t> flags(static_cast<std::size_t>(m));
  for (int64_t round = 0; round < rounds; ++round) {
    const at::Tensor rotation = ops::seeded_rotations(1, m, static_cast<uint64_t>(round));
    ops::cylinder_query_cpu(query.const_data_ptr<float>(), m, support.const_data_ptr<float>(), n,
                            rotation.const_data_ptr<float>(), 0.05, -0.02, ends, nsample, 2,
                            index.data(), count.data(), flags.data());
    handed_back += std::count(flags.begin(), flags.end(), uint8_t{1});
    for (const int64_t found : count) hits += found;
  }
  INFO(handed_back << " of " << rounds * m << " queries handed back, " << hits << " hits");
  CHECK(hits > rounds * m * 20);
  CHECK(handed_back * 1000 < rounds * m * 3);  // under 0.3 %

  const ops::CylinderQueryCase call{"recorded",
                                    query.unsqueeze(0),
                                    support.unsqueeze(0),
                                    ops::seeded_rotations(1, m, 1),
                                    0.05,
                                    -0.02,
                                    0.04,
                                    nsample};
  for (const auto& kernel : ops::cylinder_query_kernels().kernels_on(at::kCPU))
    CHECK(ops::compare_cylinder_query(kernel, at::kCPU, call) == "");
}

}  // namespace
}  // namespace grasppanda::tests
