#include "lib/config/class_sets.h"

#include "tests/catch.h"

namespace grasppanda::tests {

TEST_CASE("named sets of classes: DOTA's versions append, unknown words name none", "[config]") {
  const auto first = config::class_set("dota15"), last = config::class_set("dota18");
  REQUIRE(first.size() == 15);
  REQUIRE(config::class_set("dota16").size() == 16);
  REQUIRE(last.size() == 18);
  CHECK(first.front() == "plane");
  CHECK(first[4] == "small-vehicle");
  CHECK(first.back() == "helicopter");
  CHECK(std::equal(first.begin(), first.end(), last.begin()));
  CHECK(last[15] == "container-crane");
  CHECK(last.back() == "helipad");
  CHECK(config::class_set("hrsc") == std::vector<std::string>{"ship"});
  CHECK(config::class_set("dota").empty());
}

}  // namespace grasppanda::tests
