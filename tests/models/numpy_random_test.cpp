#include "models/numpy_random.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/models/goldens.h"

namespace grasppanda::models {
namespace {

TEST_CASE("MT19937: the published first and ten-thousandth outputs of seed 5489") {
  NumpyRandom random(5489);
  CHECK(random.next() == 3499211612U);
  std::uint32_t value = 0;
  for (int i = 2; i <= 10000; ++i) value = random.next();
  CHECK(value == 4123659995U);  // the value the C++ standard demands of std::mt19937
}

TEST_CASE("draw: masks and rejects") {
  NumpyRandom random(7), same(7);
  CHECK(random.draw(0) == 0);
  CHECK(random.next() == same.next());  // drawing from one value took nothing
  NumpyRandom counted(7);
  std::array<int, 5> seen{};
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t value = counted.draw(4);
    REQUIRE(value <= 4);
    ++seen[value];
  }
  for (const int count : seen) CHECK(std::abs(count - 1000) < 150);
  CHECK_THROWS_AS(random.draw(std::uint64_t{1} << 32), std::invalid_argument);
}

// numpy.random.RandomState(0).choice(10, 10, replace=False), a line of many tutorials.
TEST_CASE("sampling without replacement: NumPy's permutation of ten") {
  NumpyRandom random(0);
  CHECK(sample_without_replacement(random, 10, 10) ==
        std::vector<std::int64_t>{2, 8, 4, 9, 1, 6, 7, 3, 0, 5});
}

TEST_CASE("sampling without replacement: different indices, the prefix of a longer sample") {
  NumpyRandom random(3), other(3);
  const auto all = sample_without_replacement(random, 1000, 1000);
  CHECK(std::set<std::int64_t>(all.begin(), all.end()).size() == 1000);
  CHECK(*std::ranges::min_element(all) == 0);
  CHECK(*std::ranges::max_element(all) == 999);
  const auto some = sample_without_replacement(other, 1000, 10);
  CHECK(std::equal(some.begin(), some.end(), all.begin()));
  NumpyRandom third(3);
  CHECK(sample_without_replacement(third, 0, 0).empty());
  CHECK_THROWS_AS(sample_without_replacement(third, 3, 4), std::invalid_argument);
}

TEST_CASE("sampling with repetition: all in order, then repeats") {
  NumpyRandom random(1);
  const auto sample = sample_with_repetition(random, 5, 50);
  REQUIRE(sample.size() == 50);
  for (std::int64_t i = 0; i < 5; ++i) CHECK(sample[static_cast<std::size_t>(i)] == i);
  CHECK(std::ranges::all_of(sample, [](std::int64_t i) { return i >= 0 && i < 5; }));
  CHECK(std::set<std::int64_t>(sample.begin() + 5, sample.end()).size() > 1);
  NumpyRandom enough(0);
  CHECK(sample_with_repetition(enough, 10, 10) ==
        std::vector<std::int64_t>{2, 8, 4, 9, 1, 6, 7, 3, 0, 5});
  NumpyRandom nothing(0);
  CHECK(sample_with_repetition(nothing, 0, 50).empty());
}

TEST_CASE("second generator: a stream of its own") {
  NumpyRandom first(0), second = second_generator(0);
  NumpyRandom given(0x5bd1e995U);
  const std::uint32_t value = second.next();
  CHECK(value == given.next());
  CHECK(value != first.next());
}

TEST_CASE("sampling: the indices the goldens were made with") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet/frame_table_up");
  const at::Tensor want = tests::Goldens(folder).integers("sample_idx");
  NumpyRandom random(0);
  // 513 688 points of the recorded frame lie inside its workspace mask.
  tests::check_equal_integers(
      at::tensor(sample_without_replacement(random, 513688, 20000), at::kLong), want);
}

}  // namespace
}  // namespace grasppanda::models
