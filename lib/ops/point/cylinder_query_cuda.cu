// One warp a query. A sphere around the cylinder rules most points out in float32; the others get
// the verdict of the band in double. Nested upper ends share the walk. A query that meets an
// undecided point before its list is complete is handed back.
#include "lib/ops/point/cylinder_band.h"
#include "lib/ops/point/warp_search_cuda.h"

namespace grasppanda::ops::device {
namespace {

constexpr int kEndsAtOnce = 4;

struct CylinderQueries {
  const float *query, *support, *rotation, *boxes;
  std::int64_t m, clouds;
  std::uint32_t n;
  float squared_radius, hmin, highest;
  float hmax[kEndsAtOnce];
  int ends;  // of this pass, and where they stand among the ends of the call
  int first_end, all_ends;
  std::int64_t nsample;
  std::int64_t *index, *count;
  std::uint8_t* hand_back;
};

/// The verdicts of one lane on its point, a bit for every upper end.
struct Verdicts {
  unsigned inside, undecided;
};

template <int kEnds>
__device__ Verdicts judge(const CylinderQueries& q, const CylinderBand& band, const float* p,
                          const float* at) {
  Verdicts verdicts{0, 0};
  const CylinderBand::Offset o =
      band.offset(subtract(p[0], at[0]), subtract(p[1], at[1]), subtract(p[2], at[2]));
  if (!o.finite) return verdicts;
  const Verdict shared = o.certain ? band.within_radius_and_above(o) : Verdict::undecided;
  if (shared == Verdict::outside) return verdicts;
  GRASPPANDA_UNROLL
  for (int end = 0; end < kEnds; ++end) {
    if (end >= q.ends) break;
    const Verdict below = o.certain ? CylinderBand::below(o, q.hmax[end]) : Verdict::undecided;
    if (below == Verdict::outside) continue;
    const bool inside = shared == Verdict::inside && below == Verdict::inside;
    (inside ? verdicts.inside : verdicts.undecided) |= 1u << end;
  }
  return verdicts;
}

/// Takes 32 points in index order. False when the query is lost to an undecided point.
template <int kEnds>
__device__ bool take(const CylinderQueries& q, HitList* lists, Verdicts verdicts,
                     std::uint32_t base) {
  GRASPPANDA_UNROLL
  for (int end = 0; end < kEnds; ++end) {
    if (end >= q.ends) break;
    HitList& list = lists[end];
    const unsigned hits = __ballot_sync(kAllLanes, (verdicts.inside >> end & 1u) != 0);
    const unsigned undecided = __ballot_sync(kAllLanes, (verdicts.undecided >> end & 1u) != 0);
    if (list.complete()) continue;
    if (undecided != 0) {
      const unsigned before = hits & bits_below(lowest_bit(undecided));
      if (list.filled + count_bits(before) < list.nsample) return false;
    }
    list.take(hits, base);
  }
  return true;
}

template <int kEnds>
__global__ void __launch_bounds__(kSearchThreads) search_cylinders(CylinderQueries q) {
  const std::int64_t query = query_of_warp();
  if (query >= q.m * q.clouds) return;
  const unsigned lane = lane_of_thread();
  const std::int64_t cloud = query / q.m;
  const float* support = q.support + 3 * cloud * q.n;
  const float at[3] = {q.query[3 * query], q.query[3 * query + 1], q.query[3 * query + 2]};
  CylinderBand band{};
  bool certain = true;  // nothing can be said of a rotation that is not finite
  for (int k = 0; k < 9; ++k) {
    band.rotation[k] = q.rotation[9 * query + k];
    certain = certain && is_finite(band.rotation[k]);
  }
  band.squared_radius = q.squared_radius;
  band.hmin = q.hmin;
  const float sphere = enclosing_sphere(band.rotation, q.squared_radius, q.hmin, q.highest);
  const bool bounded =
      is_finite(sphere) && is_finite(at[0]) && is_finite(at[1]) && is_finite(at[2]);
  const auto runs = static_cast<std::uint32_t>(runs_of(q.n));
  const RunBoxes boxes{q.boxes == nullptr || !bounded ? nullptr : q.boxes + 6 * cloud * runs, runs};

  const std::int64_t first_list = (cloud * q.all_ends + q.first_end) * q.m + query % q.m;
  HitList lists[kEnds];
  GRASPPANDA_UNROLL
  for (int end = 0; end < kEnds; ++end)
    lists[end] = {q.index + (first_list + end * q.m) * q.nsample, q.nsample, 0, 0};

  if (certain) {
    visit_runs_within(boxes, at, bounded ? sphere : kInfinity, [&](std::uint32_t first) {
      for (std::uint32_t step = 0; step < kRun && first + step < q.n; step += kWarp) {
        const std::uint32_t i = first + step + lane;
        const float* p = support + std::size_t{3} * i;
        Verdicts verdicts{0, 0};
        const bool candidate =
            i < q.n && (!bounded || sum_middle_last(square(subtract(p[0], at[0])),
                                                    square(subtract(p[1], at[1])),
                                                    square(subtract(p[2], at[2]))) < sphere);
        if (candidate) verdicts = judge<kEnds>(q, band, p, at);
        if (__ballot_sync(kAllLanes, (verdicts.inside | verdicts.undecided) != 0) == 0) continue;
        if (!take<kEnds>(q, lists, verdicts, first + step)) {
          certain = false;
          return false;
        }
      }
      bool open = false;
      GRASPPANDA_UNROLL
      for (int end = 0; end < kEnds; ++end) open = open || (end < q.ends && !lists[end].complete());
      return open;
    });
  }
  GRASPPANDA_UNROLL
  for (int end = 0; end < kEnds; ++end)
    if (end < q.ends) lists[end].close(q.count + first_list + end * q.m);
  // One end that cannot be decided is enough; the first pass says so of all queries.
  if (lane == 0 && (q.first_end == 0 || !certain)) q.hand_back[query] = certain ? 0 : 1;
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_cylinder_query(GrasppandaCudaPlace place, const float* query,
                                           std::int64_t m, const float* support, std::int64_t n,
                                           const float* rotation, std::int64_t clouds,
                                           float squared_radius, float hmin, const float* hmax,
                                           int ends, std::int64_t nsample, void* scratch,
                                           std::int64_t* index, std::int64_t* count,
                                           std::uint8_t* hand_back) {
  using namespace grasppanda::ops::device;
  if (m == 0 || clouds == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  auto* boxes = static_cast<float*>(scratch);
  if (const Failure failure = make_run_boxes(place, support, clouds, n, boxes)) return failure;
  const unsigned blocks = blocks_for_queries(m * clouds);
  for (int first = 0; first < ends; first += kEndsAtOnce) {
    CylinderQueries q{};
    q.query = query, q.support = support, q.rotation = rotation, q.boxes = boxes;
    q.m = m, q.clouds = clouds, q.n = static_cast<std::uint32_t>(n);
    q.squared_radius = squared_radius, q.hmin = hmin, q.highest = hmax[first];
    q.ends = ends - first < kEndsAtOnce ? ends - first : kEndsAtOnce;
    q.first_end = first, q.all_ends = ends;
    for (int end = 0; end < q.ends; ++end) {
      q.hmax[end] = hmax[first + end];
      q.highest = larger(q.highest, q.hmax[end]);
    }
    q.nsample = nsample, q.index = index, q.count = count, q.hand_back = hand_back;
    const auto kernel = q.ends == 1 ? search_cylinders<1> : search_cylinders<kEndsAtOnce>;
    if (const Failure failure = launch(place, kernel, blocks, kSearchThreads, q)) return failure;
  }
  return nullptr;
}
