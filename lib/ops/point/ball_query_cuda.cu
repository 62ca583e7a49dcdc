// One warp a query, 32 points a step in index order: the hits of a step are the bits of a ballot,
// and the number of bits below a lane is the lane's place in the list.
#include "lib/ops/point/warp_search_cuda.h"

namespace grasppanda::ops::device {
namespace {

struct BallQueries {
  const float *query, *support, *boxes;
  std::int64_t m, clouds;
  std::uint32_t n;
  float squared_radius;
  std::int64_t nsample;
  std::int64_t *index, *count;
};

__global__ void __launch_bounds__(kSearchThreads) search_balls(BallQueries b) {
  const std::int64_t query = query_of_warp();
  if (query >= b.m * b.clouds) return;
  const unsigned lane = lane_of_thread();
  const std::int64_t cloud = query / b.m;
  const float* support = b.support + 3 * cloud * b.n;
  const float at[3] = {b.query[3 * query], b.query[3 * query + 1], b.query[3 * query + 2]};
  const auto runs = static_cast<std::uint32_t>(runs_of(b.n));
  const RunBoxes boxes{b.boxes == nullptr ? nullptr : b.boxes + 6 * cloud * runs, runs};
  HitList list{b.index + query * b.nsample, b.nsample, 0, 0};
  visit_runs_within(boxes, at, b.squared_radius, [&](std::uint32_t first) {
    unsigned hits[kRun / kWarp];
    GRASPPANDA_UNROLL
    for (std::uint32_t step = 0; step < kRun / kWarp; ++step) {
      const std::uint32_t i = first + step * kWarp + lane;
      bool inside = false;
      if (i < b.n) {
        const float* p = support + std::size_t{3} * i;
        inside = sum_middle_last(square(subtract(p[0], at[0])), square(subtract(p[1], at[1])),
                                 square(subtract(p[2], at[2]))) < b.squared_radius;
      }
      hits[step] = __ballot_sync(kAllLanes, inside);
    }
    GRASPPANDA_UNROLL
    for (std::uint32_t step = 0; step < kRun / kWarp; ++step)
      list.take(hits[step], first + step * kWarp);
    return !list.complete();
  });
  list.close(b.count + query);
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_ball_query(GrasppandaCudaPlace place, const float* query,
                                       std::int64_t m, const float* support, std::int64_t n,
                                       std::int64_t clouds, float squared_radius,
                                       std::int64_t nsample, void* scratch, std::int64_t* index,
                                       std::int64_t* count) {
  using namespace grasppanda::ops::device;
  if (m == 0 || clouds == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* boxes = static_cast<float*>(scratch);
  if (const Failure failure = make_run_boxes(place, support, clouds, n, boxes)) return failure;
  return launch(place, search_balls, blocks_for_queries(m * clouds), kSearchThreads,
                BallQueries{query, support, boxes, m, clouds, static_cast<std::uint32_t>(n),
                            squared_radius, nsample, index, count});
}
