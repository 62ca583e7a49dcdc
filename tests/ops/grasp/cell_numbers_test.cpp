#include "lib/ops/grasp/cell_numbers.h"

#include <map>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"

namespace grasppanda::tests {

TEST_CASE("cells are numbered in the order of their first appearance, through every growth") {
  ops::SeededNumbers random(3);
  ops::CellNumbers numbers;
  std::map<ops::Cell, int32_t> want;
  for (int i = 0; i < 20000; ++i) {
    const ops::Cell cell = {static_cast<int32_t>(random.below(40)) - 20,
                            static_cast<int32_t>(random.below(40)) << 25,
                            static_cast<int32_t>(random.below(5))};
    const uint64_t hash = ops::CellNumbers::hash_of(cell);
    const int32_t number = want.try_emplace(cell, static_cast<int32_t>(want.size())).first->second;
    numbers.prefetch(hash);
    REQUIRE(numbers.number(cell, hash) == number);
  }
  CHECK(numbers.size() == want.size());
  CHECK(numbers.size() > 4096);  // the table has grown more than twice
  for (const auto& [cell, number] : want) REQUIRE(numbers.find(cell) == number);
  CHECK(numbers.find({20, 0, 0}) == -1);
  CHECK(numbers.find({0, 0, -1}) == -1);
}

}  // namespace grasppanda::tests
