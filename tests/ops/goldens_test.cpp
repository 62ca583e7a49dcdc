#include <algorithm>
#include <variant>
#include <vector>

#include "lib/ops/backend.h"
#include "lib/ops/cpu_isa.h"
#include "lib/ops/point/cylinder_query_cpu.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

// Fails with the id of every case that differs; a folder without cases fails too.
void check_all(const std::vector<GoldenCase>& cases, const std::map<std::string, int>& counts) {
  std::map<std::string, int> seen;
  for (const GoldenCase& golden : cases) {
    ++seen[golden.op];
    const std::string difference = golden_difference(golden);
    if (!difference.empty()) FAIL_CHECK(golden.id << " (" << golden.note << "): " << difference);
  }
  CHECK(seen == counts);
}

// The instruction set of the kernels for the length of a scope.
class Isa {
 public:
  explicit Isa(const std::string& name) { REQUIRE(ops::use_cpu_isa(name)); }
  ~Isa() { ops::use_cpu_isa(""); }
  Isa(const Isa&) = delete;
  Isa& operator=(const Isa&) = delete;
};

const at::Tensor& input(const GoldenCase& golden, const char* name) {
  return std::get<at::Tensor>(golden.values.at(name));
}

// Queries that the CPU kernel gives back to the reference.
int64_t handed_back(const GoldenCase& golden) {
  const at::Tensor query = input(golden, "query").contiguous(),
                   support = input(golden, "support").contiguous(),
                   rotation = input(golden, "rotation").contiguous();
  const auto number = [&](const char* name) {
    const auto* text = std::get_if<std::string>(&golden.values.at(name));  // "inf"
    return text != nullptr ? std::stod(*text) : input(golden, name).item<double>();
  };
  const int64_t m = query.size(1), n = support.size(1),
                nsample = input(golden, "nsample").item<int64_t>();
  const std::vector<double> ends = {number("hmax")};
  std::vector<int64_t> index(static_cast<std::size_t>(m * nsample)), count(m);
  std::vector<uint8_t> flags(static_cast<std::size_t>(m));
  int64_t all = 0;
  for (int64_t cloud = 0; cloud < query.size(0); ++cloud) {
    ops::cylinder_query_cpu(
        query[cloud].const_data_ptr<float>(), m, support[cloud].const_data_ptr<float>(), n,
        rotation[cloud].const_data_ptr<float>(), number("radius"), number("hmin"), ends, nsample, 1,
        index.data(), count.data(), flags.data());
    all += std::count(flags.begin(), flags.end(), uint8_t{1});
  }
  return all;
}

TEST_CASE("every golden case of the point operators, on every backend and instruction set") {
  GP_NEED_DATA(folder, "goldens/ops");
  const std::map<std::string, int> counts = {{"furthest_point_sample", 174},
                                             {"ball_query", 126},
                                             {"cylinder_query", 111},
                                             {"knn", 189},
                                             {"inverse_distance_weights", 72},
                                             {"three_interpolate", 73},
                                             {"voxelize", 76}};
  const std::vector<GoldenCase> cases = read_golden_cases(folder);
  {
    INFO("reference");
    const ops::ScopedBackends scope(ops::all_backends(ops::Backend::reference));
    check_all(cases, counts);
  }
  for (const std::string& isa : ops::available_cpu_isas()) {
    INFO(isa);
    const Isa restricted(isa);
    const ops::ScopedBackends scope(ops::all_backends(ops::Backend::compiled));
    check_all(cases, counts);
  }
}

TEST_CASE("cylinder_query gives back what it cannot decide, and nothing else") {
  GP_NEED_DATA(folder, "goldens/ops");
  int clear = 0;
  int64_t in_band = 0;
  for (const GoldenCase& golden : read_golden_cases(folder)) {
    if (golden.op != "cylinder_query" || golden.expected.empty() ||
        input(golden, "query").scalar_type() != at::kFloat)
      continue;
    const int64_t queries = handed_back(golden);
    if (golden.clear) {
      INFO(golden.id << " (" << golden.note << ")");
      CHECK(queries == 0);
      ++clear;
    } else if (golden.queries_in_band > 0) {
      in_band += queries;
    }
  }
  CHECK(clear > 60);
  CHECK(in_band > 0);
}

TEST_CASE("every golden case of the serialization codes") {
  GP_NEED_DATA(folder, "goldens/serialization");
  check_all(read_golden_cases(folder), {{"serialization_code", 32}});
}

}  // namespace
}  // namespace grasppanda::tests
