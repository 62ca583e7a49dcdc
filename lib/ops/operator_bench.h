// What the kernels are worth: a case runs on the reference and on the compiled kernels, back to
// back in one process. What `ops bench` prints; LibTorch is all it needs.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ops/backend.h"

namespace grasppanda::ops {

/// What one run of a case gives: its results, which must be the same on both backends, and where
/// the case times parts of itself, the milliseconds of each of its rows.
struct BenchOutcome {
  std::vector<at::Tensor> results;
  std::vector<double> milliseconds;  // empty: the one row is the run as a whole
  double operations = 0;             // floating-point, of the products; 0: not told
};
using BenchRun = std::function<BenchOutcome(Backend)>;

struct BenchCase {
  std::vector<std::string> rows;  // "knn/1024x20000/k1/b1"; several for the stages of a model
  std::function<BenchRun(c10::Device)> prepare;  // makes the inputs
  std::string alone{};  // why the compiled kernels run without the reference; empty: in pairs
};

/// The operators at the sizes of the models and at 100 000 and 1 000 000 points, in the order
/// shown.
std::vector<BenchCase> operator_bench_cases();

struct BenchTimes {
  double minimum, median;  // milliseconds
};

/// One row of the table. What could not be measured is absent, and `note` says why.
struct BenchResult {
  std::string row;
  std::optional<BenchTimes> reference, compiled;
  std::optional<double> ratio;  // median over the pairs of reference / compiled
  int pairs = 0;
  double operations = 0;  // of a run; 0: not told
  std::string note;
  std::string difference;  // of the compiled results from the reference's; empty: none
};

/// Each backend once to warm up and to compare, then `pairs` pairs; 0: at least three, more as long
/// as they take less than a second together. Inputs, device and threads are the same for both; the
/// device is synchronised around each run.
std::vector<BenchResult> run_bench_case(const BenchCase& bench_case, c10::Device device, int pairs);

/// Globs over names, separated by commas: `*` stands for any text, also with '/' in it, `?` for one
/// character. An empty filter lets everything through.
bool passes_filter(std::string_view name, std::string_view filter);

/// 10^9 operations a second at the best time; nothing where the operations are not told.
std::optional<double> gigaflops(const BenchResult& result, const std::optional<BenchTimes>& times);

/// A line of the table for a person; `bench_header` stands above them.
std::string bench_header();
std::string bench_line(const BenchResult& result);

}  // namespace grasppanda::ops
