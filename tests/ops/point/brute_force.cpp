#include "tests/ops/point/brute_force.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace grasppanda::tests {
namespace {

float square_sum(float x, float y, float z, ops::SumOrder order) {
  return order == ops::SumOrder::left_to_right ? (x * x + y * y) + z * z : (x * x + z * z) + y * y;
}

float squared_distance(const float* a, const float* b, ops::SumOrder order) {
  return square_sum(a[0] - b[0], a[1] - b[1], a[2] - b[2], order);
}

// What a block of threads does on a GPU: each walks the cloud with its stride and keeps its first
// strictly larger value; then halves fold, the lower staying on a tie. A NaN counts as largest.
bool larger(float a, float b) {
  return std::isnan(a) ? !std::isnan(b) : a > b;
}

int64_t pick_by_block(const std::vector<float>& running, const std::vector<bool>& allowed) {
  const auto points = static_cast<int64_t>(running.size());
  int64_t threads = 1;
  while (2 * threads <= points && threads < 512) threads *= 2;
  std::vector<int64_t> best(threads, -1);
  const auto better = [&](int64_t candidate, int64_t held) {
    return candidate >= 0 && (held < 0 || larger(running[candidate], running[held]));
  };
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = thread; i < points; i += threads)
      if (allowed[i] && better(i, best[thread])) best[thread] = i;
  for (int64_t half = threads / 2; half > 0; half /= 2)
    for (int64_t thread = 0; thread < half; ++thread)
      if (better(best[thread + half], best[thread])) best[thread] = best[thread + half];
  return std::max<int64_t>(best[0], 0);
}

int64_t pick_lowest(const std::vector<float>& running, const std::vector<bool>& allowed) {
  int64_t best = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(running.size()); ++i)
    if (allowed[i] && (best < 0 || larger(running[i], running[best]))) best = i;
  return std::max<int64_t>(best, 0);
}

template <class IsHit>
ops::Neighbourhood first_hits(const at::Tensor& query, const at::Tensor& support, int64_t nsample,
                              const IsHit& is_hit) {
  const int64_t batches = query.size(0), queries = query.size(1), points = support.size(1);
  ops::Neighbourhood found{at::zeros({batches, queries, nsample}, at::kLong),
                           at::zeros({batches, queries}, at::kLong)};
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t m = 0; m < queries; ++m) {
      int64_t* slots = found.index[b][m].data_ptr<int64_t>();
      int64_t count = 0;
      for (int64_t n = 0; n < points && count < nsample; ++n)
        if (is_hit(b, m, n)) slots[count++] = n;
      for (int64_t slot = count; slot < nsample; ++slot) slots[slot] = slots[0];
      found.count[b][m].fill_(count);
    }
  return found;
}

const float* point(const at::Tensor& cloud, int64_t b, int64_t n) {
  return cloud.data_ptr<float>() + 3 * (b * cloud.size(1) + n);
}

}  // namespace

at::Tensor brute_force_sample(const at::Tensor& points, int64_t num_samples, bool skip_near_origin,
                              ops::TieBreak tie_break) {
  const at::Tensor cloud = points.contiguous();
  at::Tensor picks = at::zeros({cloud.size(0), num_samples}, at::kLong);
  for (int64_t b = 0; b < cloud.size(0); ++b) {
    const int64_t count = cloud.size(1);
    std::vector<float> running(count, std::numeric_limits<float>::infinity());
    std::vector<bool> allowed(count, true);
    const float zero[3] = {0, 0, 0};
    for (int64_t i = 0; i < count && skip_near_origin; ++i)
      allowed[i] = !(squared_distance(point(cloud, b, i), zero, ops::SumOrder::left_to_right) <=
                     static_cast<float>(1e-3));
    int64_t last = 0;
    for (int64_t pick = 1; pick < num_samples; ++pick) {
      for (int64_t i = 0; i < count; ++i) {
        const float distance = squared_distance(point(cloud, b, i), point(cloud, b, last),
                                                ops::SumOrder::left_to_right);
        if (std::isnan(distance) || distance < running[i]) running[i] = distance;
      }
      last = tie_break == ops::TieBreak::lowest_index ? pick_lowest(running, allowed)
                                                      : pick_by_block(running, allowed);
      picks[b][pick].fill_(last);
    }
  }
  return picks;
}

ops::Neighbourhood brute_force_ball(const at::Tensor& query, const at::Tensor& support,
                                    double radius, int64_t nsample, ops::SumOrder order) {
  const at::Tensor q = query.contiguous(), s = support.contiguous();
  const auto limit = static_cast<float>(radius * radius);
  return first_hits(q, s, nsample, [&](int64_t b, int64_t m, int64_t n) {
    return squared_distance(point(q, b, m), point(s, b, n), order) < limit;
  });
}

ops::Neighbourhood brute_force_cylinder(const at::Tensor& query, const at::Tensor& support,
                                        const at::Tensor& rotation, double radius, double hmin,
                                        double hmax, int64_t nsample) {
  const at::Tensor q = query.contiguous(), s = support.contiguous(), r = rotation.contiguous();
  const auto limit = static_cast<float>(radius * radius), low = static_cast<float>(hmin),
             high = static_cast<float>(hmax);
  return first_hits(q, s, nsample, [&](int64_t b, int64_t m, int64_t n) {
    const float* matrix = r.data_ptr<float>() + 9 * (b * q.size(1) + m);
    float offset[3], rotated[3];
    for (int i = 0; i < 3; ++i) offset[i] = point(s, b, n)[i] - point(q, b, m)[i];
    for (int i = 0; i < 3; ++i)
      rotated[i] = (offset[0] * matrix[i] + offset[1] * matrix[3 + i]) + offset[2] * matrix[6 + i];
    return low < rotated[0] && rotated[0] < high &&
           rotated[1] * rotated[1] + rotated[2] * rotated[2] < limit;
  });
}

ops::SquaredNeighbours brute_force_knn(const at::Tensor& query, const at::Tensor& support,
                                       int64_t k, ops::SumOrder order) {
  const at::Tensor q = query.contiguous(), s = support.contiguous();
  const int64_t points = s.size(1);
  ops::SquaredNeighbours found{at::empty({q.size(0), q.size(1), k}, at::kFloat),
                               at::empty({q.size(0), q.size(1), k}, at::kLong)};
  for (int64_t b = 0; b < q.size(0); ++b)
    for (int64_t m = 0; m < q.size(1); ++m) {
      std::vector<float> squared(points);
      for (int64_t n = 0; n < points; ++n)
        squared[n] = squared_distance(point(q, b, m), point(s, b, n), order);
      std::vector<int64_t> nearest(points);
      std::iota(nearest.begin(), nearest.end(), 0);
      std::stable_sort(nearest.begin(), nearest.end(),
                       [&](int64_t i, int64_t j) { return larger(squared[j], squared[i]); });
      for (int64_t i = 0; i < k; ++i) {
        found.squared[b][m].data_ptr<float>()[i] = squared[nearest[i]];
        found.index[b][m].data_ptr<int64_t>()[i] = nearest[i];
      }
    }
  return found;
}

}  // namespace grasppanda::tests
