#include "lib/ops/rotated/iou_error.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "lib/ops/rotated/numpy_generator.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

using nlohmann::json;

std::vector<std::size_t> all_strata() {
  return {0, 1, 2, 3, 4, 5, 6};
}

ops::SampleSettings spacing(double pixels) {
  ops::SampleSettings settings;
  settings.geometry.target_spacing = pixels;
  return settings;
}

/// Python writes NaN, which is no JSON; here it becomes null.
json read_with_nan(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return json::parse(std::regex_replace(text.str(), std::regex("\\bNaN\\b"), "null"));
}

TEST_CASE("default_rng(0): the numbers of NumPy's documentation", "[rotated]") {
  ops::NumpyGenerator numbers(0);
  CHECK(numbers.uniform(0, 1) == 0.6369616873214543);
  CHECK(numbers.uniform(0, 1) == 0.2697867137638703);
  CHECK(numbers.uniform(0, 1) == 0.04097352393619469);
  ops::NumpyGenerator other(12345);
  CHECK(other.uniform(0, 1) == 0.22733602246716966);
}

TEST_CASE("stratified_pairs: the stored pairs to the bit", "[rotated]") {
  GP_NEED_DATA(folder, "goldens/rotated_ops");
  for (const auto& [file, strata, pairs] :
       {std::tuple{"strata_mix1400.npz", all_strata(), 1400},
        {"strata_vehicle600.npz", std::vector<std::size_t>{1}, 600}}) {
    INFO(file);
    const ops::StratifiedPairs drawn = ops::stratified_pairs(strata, pairs, 0);
    CHECK(drawn.a.equal(npz_tensor(folder / file, "a")));
    CHECK(drawn.b.equal(npz_tensor(folder / file, "b")));
  }
}

TEST_CASE("overlap errors: the package's tables", "[rotated]") {
  GP_NEED_DATA(folder, "goldens/rotated_ops");
  const json golden = read_with_nan(folder / "strata_tables.json");
  const auto compare = [](const std::vector<ops::ErrorSummary>& rows, const json& table,
                          const std::string& prefix) {
    for (const ops::ErrorSummary& row : rows) {
      const std::string name = row.name == "0" ? "exact=0" : row.name;
      if (!table.contains(name)) continue;
      INFO(prefix << ' ' << name);
      const json& want = table.at(name);
      CHECK(row.count == want.at("count").get<int64_t>());
      CHECK(row.mean_error == Approx(want.at("mean_abs").get<double>()).margin(2e-6));
      CHECK(row.p90_error == Approx(want.at("p90_abs").get<double>()).margin(2e-6));
      CHECK(row.mean_samples == Approx(want.at("mean_samples").get<double>()));
      if (want.at("frac_gt_10pct").is_number())
        CHECK(row.share_above_tenth == Approx(want.at("frac_gt_10pct").get<double>()).margin(1e-9));
    }
  };
  const ops::StratifiedPairs mix = ops::stratified_pairs(all_strata(), 1400, 0);
  const ops::StratifiedPairs vehicles = ops::stratified_pairs({1}, 600, 0);
  for (const auto& [pairs, set, pixels] : {std::tuple{&mix, "mix_1400", 2},
                                           {&mix, "mix_1400", 4},
                                           {&vehicles, "vehicle_600", 2},
                                           {&vehicles, "vehicle_600", 3},
                                           {&vehicles, "vehicle_600", 4}}) {
    const std::string name = "spacing" + std::to_string(pixels);
    const json& table = golden.at("tables").at(set).at(name);
    const ops::OverlapErrors errors = ops::overlap_errors(*pairs, spacing(pixels));
    compare(ops::errors_by_stratum(*pairs, errors), table, std::string(set) + " " + name);
    compare(ops::errors_by_overlap(errors), table, std::string(set) + " " + name);
    CHECK(ops::errors_by_stratum(*pairs, errors).size() == (pairs == &mix ? 8 : 2));
  }
}

TEST_CASE("overlap errors: no pairs, one pair", "[rotated]") {
  check_refused("iou-error", "pairs are 6, wants 7, one for each category",
                [] { ops::stratified_pairs(all_strata(), 6, 0); });
  check_refused("iou-error", "pairs are 0", [] { ops::stratified_pairs({}, 0, 0); });
  const ops::StratifiedPairs one = ops::stratified_pairs({3}, 1, 7);
  const auto rows = ops::errors_by_stratum(one, ops::overlap_errors(one, spacing(2)));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].count == 1);
  CHECK(rows[1].name == "medium_square");
  CHECK(rows[0].p90_error == rows[0].mean_error);
}

}  // namespace
}  // namespace grasppanda::tests
