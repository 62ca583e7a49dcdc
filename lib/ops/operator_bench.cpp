#include "lib/ops/operator_bench.h"

#include <ATen/ATen.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "lib/ops/errors.h"
#include "lib/ops/self_check.h"

namespace grasppanda::ops {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFewestPairs = 3, kMostPairs = 50;
constexpr double kPatience = 1000;  // milliseconds for the pairs of a case beyond the fewest

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void synchronise(c10::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
}

BenchOutcome timed(const BenchRun& run, Backend backend, c10::Device device) {
  synchronise(device);
  const auto start = Clock::now();
  BenchOutcome outcome = run(backend);
  synchronise(device);
  if (outcome.milliseconds.empty()) outcome.milliseconds = {milliseconds_since(start)};
  return outcome;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

BenchTimes times_of(const std::vector<double>& values) {
  return {*std::min_element(values.begin(), values.end()), median(values)};
}

std::string difference_of(const BenchOutcome& got, const BenchOutcome& want) {
  if (got.results.size() != want.results.size()) return "another number of results";
  for (std::size_t i = 0; i < want.results.size(); ++i)
    if (std::string difference =
            first_difference("result " + std::to_string(i), got.results[i], want.results[i]);
        !difference.empty())
      return difference;
  return {};
}

/// Milliseconds of every run, per row.
using Samples = std::vector<std::vector<double>>;

void append(Samples& samples, const BenchOutcome& outcome) {
  samples.resize(std::max(samples.size(), outcome.milliseconds.size()));
  for (std::size_t row = 0; row < outcome.milliseconds.size(); ++row)
    samples[row].push_back(outcome.milliseconds[row]);
}

/// Greedy: a star takes as little as it can, and one more character whenever the rest fails.
bool matches(std::string_view text, std::string_view glob) {
  std::size_t t = 0, g = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g, ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace

std::vector<BenchResult> run_bench_case(const BenchCase& bench_case, c10::Device device,
                                        int pairs) {
  const BenchRun run = bench_case.prepare(device);
  std::vector<BenchResult> results(bench_case.rows.size());
  for (std::size_t row = 0; row < results.size(); ++row) results[row].row = bench_case.rows[row];

  const bool paired = bench_case.alone.empty();
  BenchOutcome want;
  if (paired) want = timed(run, Backend::reference, device);
  for (BenchResult& result : results) result.operations = want.operations;
  bool has_compiled = true;
  try {
    const BenchOutcome got = timed(run, Backend::compiled, device);
    const std::string difference = paired ? difference_of(got, want) : std::string();
    for (BenchResult& result : results) {
      result.difference = difference;
      result.note = bench_case.alone;
    }
  } catch (const BackendError& error) {
    has_compiled = false;
    for (BenchResult& result : results) result.note = error.what();
  }
  if (!paired && !has_compiled) return results;

  Samples reference, compiled;
  const auto start = Clock::now();
  int done = 0;
  const auto more = [&] {
    if (pairs > 0) return done < pairs;
    return done < kFewestPairs || (done < kMostPairs && milliseconds_since(start) < kPatience);
  };
  for (; more(); ++done) {
    if (paired) append(reference, timed(run, Backend::reference, device));
    if (has_compiled) append(compiled, timed(run, Backend::compiled, device));
  }
  for (std::size_t row = 0; row < results.size(); ++row) {
    BenchResult& result = results[row];
    result.pairs = done;
    if (paired) result.reference = times_of(reference.at(row));
    if (has_compiled) result.compiled = times_of(compiled.at(row));
    if (!paired || !has_compiled) continue;
    std::vector<double> ratios;
    for (std::size_t pair = 0; pair < compiled[row].size(); ++pair)
      ratios.push_back(reference[row][pair] / compiled[row][pair]);
    result.ratio = median(ratios);
  }
  return results;
}

bool passes_filter(std::string_view name, std::string_view filter) {
  if (filter.empty()) return true;
  for (std::string_view rest = filter;;) {
    const std::string_view glob = rest.substr(0, rest.find(','));
    if (matches(name, glob)) return true;
    if (glob.size() == rest.size()) return false;
    rest.remove_prefix(glob.size() + 1);
  }
}

std::optional<double> gigaflops(const BenchResult& result, const std::optional<BenchTimes>& times) {
  if (result.operations <= 0 || !times) return std::nullopt;
  return result.operations / times->minimum * 1e-6;
}

std::string bench_header() {
  char line[160];
  std::snprintf(line, sizeof line, "%-40s %21s  %21s %8s %6s", "case", "reference min/median ms",
                "compiled min/median ms", "ratio", "pairs");
  return line;
}

std::string bench_line(const BenchResult& result) {
  const auto times = [](const std::optional<BenchTimes>& shown) {
    char text[64] = "-";
    if (shown) std::snprintf(text, sizeof text, "%.3f / %.3f", shown->minimum, shown->median);
    return std::string(text);
  };
  char ratio[32] = "-";
  if (result.ratio) std::snprintf(ratio, sizeof ratio, "%.2f", *result.ratio);
  char line[256];
  std::snprintf(line, sizeof line, "%-40s %23s  %22s %8s %6d", result.row.c_str(),
                times(result.reference).c_str(), times(result.compiled).c_str(), ratio,
                result.pairs);
  std::string text = line;
  if (result.operations > 0) {
    const auto rate = [&](const std::optional<BenchTimes>& times) {
      char shown[32] = "-";
      if (const auto value = gigaflops(result, times))
        std::snprintf(shown, sizeof shown, "%.0f", *value);
      return std::string(shown);
    };
    text += "  " + rate(result.reference) + " and " + rate(result.compiled) + " GFLOP/s";
  }
  if (!result.note.empty()) text += "  " + result.note;
  if (!result.difference.empty()) text += "  DIFFERS: " + result.difference;
  return text;
}

}  // namespace grasppanda::ops
