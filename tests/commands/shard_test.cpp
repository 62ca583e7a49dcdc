// Parts of a list of inputs.
#include "app/commands/shard.h"

#include "app/report_error.h"
#include "tests/catch.h"

namespace grasppanda::tests {

TEST_CASE("a shard is every N-th input") {
  const app::Shard shard = app::parse_shard("--shard", "1/3");
  std::vector<datasets::InputRef> inputs(8);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].name = std::to_string(i);
  std::string names;
  for (const auto& input : shard.part_of(inputs)) names += input.name;
  CHECK(names == "147");
  std::size_t shares = 0;
  for (std::size_t limit = 0; limit <= inputs.size(); ++limit) {
    CHECK(shard.share(limit) == (limit + 1) / 3);
    shares += shard.share(limit);
  }
  CHECK(shares > 0);
  for (const char* bad : {"", "1", "3/3", "-1/3", "1/0", "0/0", "a/3", "1/3/2", "1 /3",
                          "0/99999999", "1/", "/2", "1/99999999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(app::parse_shard("--shard", bad), app::UsageError);
  }
}

}  // namespace grasppanda::tests
