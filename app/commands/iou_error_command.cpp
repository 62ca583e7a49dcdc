// `grasppanda ops iou-error`: the sampled overlap of rotated boxes against the exact one.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/report_error.h"
#include "lib/config/suggest.h"
#include "lib/ops/rotated/iou_error.h"

namespace grasppanda::app {

namespace {

/// The values of an option: repeated, or with commas.
std::vector<std::string> listed(const Invocation& invocation, std::string_view option) {
  std::vector<std::string> values;
  for (const std::string& text : invocation.all(option))
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      values.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  return values;
}

bool is_number(const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// Categories and spacings as typed: `--sweep-spacing 2 3 4` leaves 3 and 4 as words of their own.
struct Wanted {
  std::vector<std::size_t> strata;
  std::vector<double> spacings;
};

std::size_t stratum_of(const std::string& name) {
  const auto found = std::find(ops::kStrata.begin(), ops::kStrata.end(), name);
  if (found != ops::kStrata.end()) return static_cast<std::size_t>(found - ops::kStrata.begin());
  throw UsageError("ops iou-error: no category '" + config::printable(name) + "'" +
                   config::did_you_mean(name, ops::kStrata));
}

double spacing_of(const std::string& text) {
  double value = 0;
  if (!is_number(text, value) || !(value > 0) || !std::isfinite(value))
    throw UsageError("ops iou-error: --sweep-spacing wants pixels above 0, got '" +
                     config::printable(text) + "'");
  return value;
}

Wanted wanted(const Invocation& invocation) {
  Wanted wanted;
  for (const std::string& name : listed(invocation, "--categories"))
    wanted.strata.push_back(stratum_of(name));
  for (const std::string& text : listed(invocation, "--sweep-spacing"))
    wanted.spacings.push_back(spacing_of(text));
  for (const std::string& word : invocation.arguments) {
    double value = 0;
    if (is_number(word, value) && !wanted.spacings.empty())
      wanted.spacings.push_back(spacing_of(word));
    else if (!wanted.strata.empty())
      wanted.strata.push_back(stratum_of(word));
    else
      throw UsageError("ops iou-error: '" + config::printable(word) +
                       "' belongs to no option; give --categories or --sweep-spacing first");
  }
  std::sort(wanted.strata.begin(), wanted.strata.end());
  wanted.strata.erase(std::unique(wanted.strata.begin(), wanted.strata.end()), wanted.strata.end());
  if (wanted.strata.empty())
    for (std::size_t k = 0; k < ops::kStrata.size(); ++k) wanted.strata.push_back(k);
  return wanted;
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

void print_row(const std::string& name, const ops::ErrorSummary& row) {
  std::cout << padded(name, 18) << formatted("%7.0f", static_cast<double>(row.count))
            << formatted("%12.3f", row.mean_error) << formatted("%11.3f", row.p90_error)
            << formatted("%10.1f %%", 100 * row.share_above_tenth)
            << formatted("%9.0f", row.mean_samples) << '\n';
}

void print_head(const char* first) {
  std::cout << '\n' << padded(first, 18) << "  pairs  mean |err|  p90 |err|  |err|>0.1  samples\n";
}

}  // namespace

ExitCode run_ops_iou_error(const Invocation& invocation) {
  const Wanted what = wanted(invocation);
  set_threads(std::stoll(invocation.value("--threads", "0")));
  const ops::StratifiedPairs pairs =
      ops::stratified_pairs(what.strata, std::stoll(invocation.value("--pairs", "1400")),
                            std::stoull(invocation.value("--seed", "0")));
  ops::SampleSettings settings = ops::sample_settings(ops::SamplePurpose::iou);
  std::cout << "sampled against exact IoU of " << pairs.a.size(0) << " pairs, seed "
            << invocation.value("--seed", "0") << '\n';
  if (!what.spacings.empty()) {
    settings.flat.reset();
    print_head("spacing in pixels");
    std::vector<std::pair<std::string, ops::ErrorSummary>> high;
    for (const double spacing : what.spacings) {
      settings.geometry.target_spacing = spacing;
      const ops::OverlapErrors errors = ops::overlap_errors(pairs, settings);
      print_row(formatted("%g", spacing), ops::errors_by_stratum(pairs, errors).front());
      high.emplace_back(formatted("%g", spacing), ops::errors_by_overlap(errors).back());
    }
    print_head("exact 0.7-1");
    for (const auto& [spacing, row] : high) print_row(spacing, row);
    return ExitCode::done;
  }
  const ops::OverlapErrors errors = ops::overlap_errors(pairs, settings);
  print_head("category");
  for (const ops::ErrorSummary& row : ops::errors_by_stratum(pairs, errors))
    print_row(row.name, row);
  print_head("exact IoU");
  for (const ops::ErrorSummary& row : ops::errors_by_overlap(errors)) print_row(row.name, row);
  return ExitCode::done;
}

}  // namespace grasppanda::app
