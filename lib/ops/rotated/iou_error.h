// How far the sampled overlap is from the exact one, on the pairs of boxes that oriented-det's own
// tables were made with.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ops/rotated/sampling_settings.h"

namespace grasppanda::ops {

/// Kinds of boxes, in the order in which they are drawn.
inline constexpr std::array<std::string_view, 7> kStrata = {
    "tiny_square",  "vehicle",   "small_square",  "medium_square",
    "large_square", "elongated", "elongated_thin"};

/// Pairs a[k], b[k] (N, 5) float32 and the place of their stratum in kStrata.
struct StratifiedPairs {
  at::Tensor a, b;
  std::vector<std::size_t> stratum;
};

/// pairs / strata pairs of each stratum, drawn by numpy.random.default_rng(seed). `strata` are
/// places in kStrata, drawn in their order. Throws ArgumentError when that makes no pair.
StratifiedPairs stratified_pairs(std::vector<std::size_t> strata, int64_t pairs,
                                 std::uint64_t seed);

struct OverlapErrors {
  std::vector<double> exact, sampled;
  std::vector<int64_t> samples;  // per box
};

/// Both overlaps of every pair; 256 pairs at a time share a number of samples.
OverlapErrors overlap_errors(const StratifiedPairs& pairs, const SampleSettings& settings);

/// One line of a table.
struct ErrorSummary {
  std::string name;
  int64_t count = 0;
  double mean_error = 0, p90_error = 0;  // of |sampled - exact|
  double share_above_tenth = 0;          // |error| > 0.1, of pairs with exact > 1e-6
  double mean_samples = 0;
};

/// "ALL" and every stratum that is there.
std::vector<ErrorSummary> errors_by_stratum(const StratifiedPairs& pairs,
                                            const OverlapErrors& errors);

/// By exact overlap: 0 (up to 1e-8), to 0.3, to 0.7, to 1.
std::vector<ErrorSummary> errors_by_overlap(const OverlapErrors& errors);

}  // namespace grasppanda::ops
