#include "lib/ops/rotated/iou_error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/numpy_generator.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_iou_sample_count.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kPicture = 1024;
constexpr int64_t kChunk = 256;

using Box = std::array<float, 5>;

/// Limits of the sizes that are drawn: of a square's side, or of the short side and the aspect.
struct Sizes {
  double low, high;
  double least_aspect = 0, greatest_aspect = 0;
};
constexpr std::array<Sizes, 7> kSizes = {
    {{4, 16}, {10, 25}, {16, 32}, {32, 128}, {128, 512}, {8, 40, 3, 8}, {4, 12, 8, 40}}};

Box drawn_box(NumpyGenerator& numbers, const Sizes& sizes) {
  double w = numbers.uniform(sizes.low, sizes.high), h = w;
  if (sizes.greatest_aspect > 0) {
    const double longer = w * numbers.uniform(sizes.least_aspect, sizes.greatest_aspect);
    (numbers.uniform(0, 1) < 0.5 ? w : h) = longer;
  }
  const double angle = numbers.uniform(-kPi / 2, kPi / 2);
  const double x = numbers.uniform(0, kPicture), y = numbers.uniform(0, kPicture);
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(w),
          static_cast<float>(h), static_cast<float>(angle)};
}

// b is moved towards a; both are float32 by then, the shift is double.
void place_near(NumpyGenerator& numbers, const Box& a, Box& b) {
  const double share = numbers.uniform(0, 1.2);
  const double side = std::max({a[2], a[3], b[2], b[3]});
  const double distance = (1 - share) * side, direction = numbers.uniform(0, 2 * kPi);
  b[0] = static_cast<float>(static_cast<double>(a[0]) + distance * std::cos(direction));
  b[1] = static_cast<float>(static_cast<double>(a[1]) + distance * std::sin(direction));
}

at::Tensor rows_of(const std::vector<Box>& boxes) {
  at::Tensor rows = at::empty({static_cast<int64_t>(boxes.size()), 5}, at::kFloat);
  float* out = rows.mutable_data_ptr<float>();
  for (const Box& box : boxes) out = std::copy(box.begin(), box.end(), out);
  return rows;
}

// Linear between the two nearest values.
double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

template <class Member>
ErrorSummary summary(std::string name, const OverlapErrors& errors, const Member& is_member) {
  ErrorSummary summary{.name = std::move(name)};
  std::vector<double> sizes;
  int64_t overlapping = 0, large = 0;
  double samples = 0;
  for (std::size_t k = 0; k < errors.exact.size(); ++k) {
    if (!is_member(k)) continue;
    sizes.push_back(std::abs(errors.sampled[k] - errors.exact[k]));
    samples += static_cast<double>(errors.samples[k]);
    overlapping += errors.exact[k] > 1e-6;
    large += errors.exact[k] > 1e-6 && sizes.back() > 0.1;
  }
  summary.count = static_cast<int64_t>(sizes.size());
  if (sizes.empty()) return summary;
  const auto count = static_cast<double>(sizes.size());
  summary.mean_error = std::accumulate(sizes.begin(), sizes.end(), 0.0) / count;
  summary.mean_samples = samples / count;
  summary.p90_error = percentile(std::move(sizes), 0.9);
  if (overlapping > 0)
    summary.share_above_tenth = static_cast<double>(large) / static_cast<double>(overlapping);
  return summary;
}

}  // namespace

StratifiedPairs stratified_pairs(std::vector<std::size_t> strata, int64_t pairs,
                                 std::uint64_t seed) {
  std::sort(strata.begin(), strata.end());
  const auto count = static_cast<int64_t>(strata.size());
  if (count == 0 || pairs < count || pairs > 10'000'000)
    refuse_argument(
        "iou-error", "pairs", "are " + std::to_string(pairs),
        std::to_string(std::max<int64_t>(1, count)) + ", one for each category, to 10000000");
  NumpyGenerator numbers(seed);
  std::vector<Box> first, second;
  StratifiedPairs drawn;
  for (const std::size_t stratum : strata)
    for (int64_t k = 0; k < pairs / count; ++k) {
      first.push_back(drawn_box(numbers, kSizes.at(stratum)));
      second.push_back(drawn_box(numbers, kSizes.at(stratum)));
      place_near(numbers, first.back(), second.back());
      drawn.stratum.push_back(stratum);
    }
  drawn.a = rows_of(first);
  drawn.b = rows_of(second);
  return drawn;
}

OverlapErrors overlap_errors(const StratifiedPairs& pairs, const SampleSettings& settings) {
  OverlapErrors errors;
  const int64_t count = pairs.a.size(0);
  const at::Tensor exact = aligned_rotated_iou(pairs.a.to(at::kDouble), pairs.b.to(at::kDouble));
  errors.exact.assign(exact.const_data_ptr<double>(), exact.const_data_ptr<double>() + count);
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t rows = std::min(kChunk, count - begin);
    const at::Tensor a = pairs.a.narrow(0, begin, rows), b = pairs.b.narrow(0, begin, rows);
    const int64_t samples =
        settings.flat ? *settings.flat : geometry_sample_count(a, b, settings.geometry);
    const at::Tensor sampled = aligned_sampled_iou(a, b, samples);
    for (int64_t k = 0; k < rows; ++k) {
      errors.sampled.push_back(static_cast<double>(sampled.const_data_ptr<float>()[k]));
      errors.samples.push_back(samples);
    }
  }
  return errors;
}

std::vector<ErrorSummary> errors_by_stratum(const StratifiedPairs& pairs,
                                            const OverlapErrors& errors) {
  std::vector<ErrorSummary> table{summary("ALL", errors, [](std::size_t) { return true; })};
  for (std::size_t stratum = 0; stratum < kStrata.size(); ++stratum)
    if (std::find(pairs.stratum.begin(), pairs.stratum.end(), stratum) != pairs.stratum.end())
      table.push_back(summary(std::string(kStrata[stratum]), errors,
                              [&](std::size_t k) { return pairs.stratum[k] == stratum; }));
  return table;
}

std::vector<ErrorSummary> errors_by_overlap(const OverlapErrors& errors) {
  struct Bin {
    const char* name;
    double above, up_to;
  };
  std::vector<ErrorSummary> table;
  for (const Bin& bin : {Bin{"0", -1, 1e-8}, Bin{"0-0.3", 1e-8, 0.3}, Bin{"0.3-0.7", 0.3, 0.7},
                         Bin{"0.7-1", 0.7, 1}})
    table.push_back(summary(bin.name, errors, [&](std::size_t k) {
      return errors.exact[k] > bin.above && errors.exact[k] <= bin.up_to;
    }));
  return table;
}

}  // namespace grasppanda::ops
