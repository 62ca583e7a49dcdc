#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

// Fails with the id of every case that differs; a folder without cases fails too.
void check_all(const std::filesystem::path& folder, const std::map<std::string, int>& counts) {
  std::map<std::string, int> seen;
  for (const GoldenCase& golden : read_golden_cases(folder)) {
    ++seen[golden.op];
    const std::string difference = golden_difference(golden);
    if (!difference.empty()) FAIL_CHECK(golden.id << " (" << golden.note << "): " << difference);
  }
  CHECK(seen == counts);
}

TEST_CASE("every golden case of the point operators") {
  GP_NEED_DATA(folder, "goldens/ops");
  check_all(folder, {{"furthest_point_sample", 174},
                     {"ball_query", 126},
                     {"cylinder_query", 111},
                     {"knn", 189},
                     {"inverse_distance_weights", 72},
                     {"three_interpolate", 73},
                     {"voxelize", 76}});
}

TEST_CASE("every golden case of the serialization codes") {
  GP_NEED_DATA(folder, "goldens/serialization");
  check_all(folder, {{"serialization_code", 32}});
}

}  // namespace
}  // namespace grasppanda::tests
