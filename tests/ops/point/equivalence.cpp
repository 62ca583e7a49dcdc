#include "tests/ops/point/equivalence.h"

#include <algorithm>
#include <limits>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;

const std::vector<CloudKind> kKinds = {CloudKind::uniform,   CloudKind::lattice,
                                       CloudKind::repeated,  CloudKind::origin,
                                       CloudKind::table_top, CloudKind::non_finite};

/// One call: what its inputs are made of.
struct Trial {
  CloudKind kind;
  int64_t points;
  uint64_t seed;
  int variant;
  std::string setting;
};

/// Calls `run` for every size, kind and variant; `run` returns the first difference.
int for_each_trial(const Trials& trials, int variants, uint64_t first_seed,
                   const std::function<std::string(const Trial&)>& run) {
  int calls = 0;
  for (int round = 0; round < trials.rounds; ++round)
    for (const int64_t points : trials.sizes)
      for (const CloudKind kind : kKinds)
        for (int variant = 0; variant < variants; ++variant) {
          const uint64_t seed = first_seed + static_cast<uint64_t>(calls++);
          const Trial trial{kind, points, seed, variant, trials.next_setting()};
          const std::string difference = run(trial);
          if (!difference.empty())
            FAIL_CHECK(trial.setting << ", kind " << static_cast<int>(kind) << ", " << points
                                     << " points, seed " << seed << ", variant " << variant << ": "
                                     << difference);
        }
  return calls;
}

/// On the device; every second one as a view that is not contiguous.
at::Tensor cloud_of(const Trials& trials, const Trial& trial, int64_t batches, int64_t points,
                    uint64_t seed) {
  const at::Tensor cloud = ops::seeded_cloud(trial.kind, batches, points, seed).to(trials.device);
  return trial.seed % 2 == 0 ? cloud : cloud.transpose(1, 2).contiguous().transpose(1, 2);
}

/// The first points of the support, or other ones where there are not enough.
at::Tensor queries_of(const Trials& trials, const Trial& trial, const at::Tensor& support,
                      int64_t queries) {
  if (trial.points >= queries) return support.narrow(1, 0, queries);
  return ops::seeded_cloud(trial.kind, support.size(0), queries, trial.seed + 1).to(trials.device);
}

std::string difference_of(const ops::Neighbourhood& got, const ops::Neighbourhood& want) {
  const std::string index = ops::first_difference("index", got.index, want.index);
  return index.empty() ? ops::first_difference("count", got.count, want.count) : index;
}

}  // namespace

std::vector<int64_t> sizes_around_every_width() {
  return {1,    3,    4,    5,    7,    8,    9,    15,   16,   17,  31,   32,
          33,   63,   64,   65,   127,  128,  129,  511,  512,  513, 1023, 1024,
          1025, 1499, 1500, 1501, 2047, 2048, 2049, 8191, 8192, 8193};
}

int try_furthest_point_sample(const ops::Kernel<ops::FurthestPointSampleFn>& kernel,
                              const Trials& trials) {
  return for_each_trial(trials, 8, 0, [&](const Trial& trial) {
    const bool skip = trial.variant % 2 != 0;
    const auto tie =
        trial.variant % 4 < 2 ? ops::TieBreak::lowest_index : ops::TieBreak::pointnet2_cuda;
    const int64_t samples = trial.variant < 4 ? 40 : 7;
    const auto batches = static_cast<int64_t>(1 + trial.seed % 3);
    const at::Tensor cloud = cloud_of(trials, trial, batches, trial.points, trial.seed);
    return ops::first_difference("index", kernel.run(cloud, samples, skip, tie),
                                 ops::furthest_point_sample_reference(cloud, samples, skip, tie));
  });
}

int try_ball_query(const ops::Kernel<ops::BallQueryFn>& kernel, const Trials& trials) {
  const double radii[] = {0.0, 0.03, 0.25, std::numeric_limits<double>::infinity()};
  return for_each_trial(trials, 4, 10000, [&](const Trial& trial) {
    const double radius = radii[trial.variant];
    const int64_t nsample = trial.seed % 3 == 0 ? 64 : 5;
    const at::Tensor support = cloud_of(trials, trial, 2, trial.points, trial.seed);
    const at::Tensor query = queries_of(trials, trial, support, trial.seed % 5 == 0 ? 70 : 9);
    return difference_of(kernel.run(query, support, radius, nsample, trials.order),
                         ops::ball_query_reference(query, support, radius, nsample, trials.order));
  });
}

int try_cylinder_query(const ops::Kernel<ops::CylinderQueryFn>& kernel, const Trials& trials) {
  return for_each_trial(trials, 3, 20000, [&](const Trial& trial) {
    const int64_t queries = trial.seed % 5 == 0 ? 70 : 9, nsample = trial.seed % 3 == 0 ? 64 : 5;
    const double radius = trial.variant == 0 ? 0.05 : 0.3;
    const at::Tensor support = cloud_of(trials, trial, 2, trial.points, trial.seed);
    const at::Tensor query = queries_of(trials, trial, support, queries);
    // The last variant is no rotation: the sphere around the cylinder must not be relied on.
    at::Tensor rotation = ops::seeded_rotations(2, queries, trial.seed + 2).to(trials.device);
    if (trial.variant == 2) rotation = rotation * 0.5;
    return difference_of(
        kernel.run(query, support, rotation, radius, -0.02, 0.2, nsample),
        ops::cylinder_query_reference(query, support, rotation, radius, -0.02, 0.2, nsample));
  });
}

int try_knn(const ops::Kernel<ops::KnnFn>& kernel, const Trials& trials) {
  const int64_t lists[] = {1, 3, 4, 9, 64};
  return for_each_trial(trials, 5, 30000, [&](const Trial& trial) {
    const int64_t k = std::min(lists[trial.variant], trial.points);
    const int64_t queries = std::min<int64_t>(trials.most_queries, trial.seed % 4 == 0 ? 300 : 40);
    const at::Tensor support = cloud_of(trials, trial, 2, trial.points, trial.seed);
    const at::Tensor query =
        ops::seeded_cloud(trial.kind, 2, queries, trial.seed + 1).to(trials.device);
    const auto got = kernel.run(query, support, k, trials.order);
    const auto want = ops::knn_reference(query, support, k, trials.order);
    const std::string index = ops::first_difference("index", got.index, want.index);
    return index.empty() ? ops::first_difference("squared", got.squared, want.squared) : index;
  });
}

}  // namespace grasppanda::tests
