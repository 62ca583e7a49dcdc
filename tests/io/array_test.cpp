#include "lib/io/array.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "lib/io/float16.h"
#include "lib/io/strided.h"
#include "tests/catch.h"

using namespace grasppanda::io;

TEST_CASE("an array tells type, shape and items") {
  const Array array = make_array<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(describe(array) == "float32 (2, 3)");
  CHECK(array.numel() == 6);
  CHECK(array.byte_size() == 24);
  CHECK(array.as<float>()[4] == 5.0f);
  CHECK(reinterpret_cast<std::uintptr_t>(array.data.get()) % 64 == 0);
  CHECK_THROWS_AS(array.as<double>(), std::invalid_argument);
  CHECK(shape_text({}) == "()");
  CHECK(shape_text(std::vector<std::int64_t>{7}) == "(7,)");
}

TEST_CASE("shape and bytes of an array must agree") {
  const std::vector<float> six(6);
  CHECK_THROWS_AS(make_array<float>({2, 2}, six), std::invalid_argument);
  CHECK_THROWS_AS(make_array<float>({-2, -3}, six), std::invalid_argument);
  CHECK_THROWS_AS(make_array(DType::float32, {1}, std::as_bytes(std::span(six)).subspan(0, 5)),
                  std::invalid_argument);
  // 2^62 items times 0: no item, but products of the other extents would overflow later.
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK_THROWS_AS(make_array<float>({huge, 0, huge}, std::vector<float>{}), std::invalid_argument);
  CHECK(make_array<float>({5, 0, 3}, std::vector<float>{}).numel() == 0);
}

TEST_CASE("items of every type as float64") {
  CHECK(to_float64(make_array<std::int8_t>({2}, std::vector<std::int8_t>{-128, 127})) ==
        std::vector<double>{-128, 127});
  CHECK(to_float64(make_array<std::uint64_t>({1}, std::vector<std::uint64_t>{1ull << 53})) ==
        std::vector<double>{0x1p53});
  const std::uint8_t truths[] = {0, 1};
  CHECK(to_float64(make_array(DType::boolean, {2}, std::as_bytes(std::span(truths)))) ==
        std::vector<double>{0, 1});
  // 1, -2, largest, smallest subnormal, infinity of float16; 1, -3 of bfloat16.
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00};
  CHECK(to_float64(make_array(DType::float16, {5}, std::as_bytes(std::span(halves)))) ==
        std::vector<double>{1, -2, 65504, 0x1p-24, std::numeric_limits<double>::infinity()});
  const std::uint16_t brains[] = {0x3f80, 0xc040};
  CHECK(to_float64(make_array(DType::bfloat16, {2}, std::as_bytes(std::span(brains)))) ==
        std::vector<double>{1, -3});
}

TEST_CASE("every float16 widens to the value of its fields") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float16_to_float32(static_cast<std::uint16_t>(bits));
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    if (exponent == 31) {
      REQUIRE((fraction == 0 ? std::isinf(value) : std::isnan(value)));
    } else {
      const double size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      REQUIRE(value == static_cast<float>((bits & 0x8000) != 0 ? -size : size));
    }
    REQUIRE(std::signbit(value) == ((bits & 0x8000) != 0));
  }
}

TEST_CASE("only integers become int64") {
  CHECK(to_int64(make_array<float>({2}, std::vector<float>{3, -4})) ==
        std::vector<std::int64_t>{3, -4});
  for (const double bad : {0.5, 0x1p63, std::nan(""), -std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(to_int64(make_array<double>({1}, std::vector<double>{bad})),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(to_int64(make_array<std::uint64_t>({1}, std::vector<std::uint64_t>{~0ull})),
                  std::invalid_argument);
}

TEST_CASE("strided copies") {
  const std::vector<std::int32_t> source{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto copy = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    std::vector<std::int32_t> target(static_cast<std::size_t>(*checked_numel(shape)), -1);
    copy_strided(std::as_bytes(std::span(source)).data(),
                 std::as_writable_bytes(std::span(target)).data(), shape, strides, 4);
    return target;
  };
  using Items = std::vector<std::int32_t>;
  CHECK(copy({3, 4}, {4, 1}) == source);
  CHECK(copy({4, 3}, {1, 4}) == Items{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  CHECK(copy({2, 2}, {4, 2}) == Items{0, 2, 4, 6});
  CHECK(copy({3}, {0}) == Items{0, 0, 0});  // an expanded scalar
  CHECK(copy({}, {}) == Items{0});
  CHECK(copy({2, 0}, {1, 1}).empty());
  CHECK(copy({2, 1, 3}, {6, 99, 2}) == Items{0, 2, 4, 6, 8, 10});
  using Numbers = std::vector<std::int64_t>;
  CHECK(is_row_major(Numbers{2, 1, 3}, Numbers{3, 99, 1}));
  CHECK_FALSE(is_row_major(Numbers{2, 3}, Numbers{1, 2}));
  CHECK(checked_extent(Numbers{2, 3}, Numbers{10, 2}) == 15);
  CHECK(checked_extent(Numbers{2, 0}, Numbers{10, 2}) == 0);
  CHECK_FALSE(checked_extent(Numbers{3, 3}, Numbers{std::int64_t{1} << 62, 1}));
  CHECK_FALSE(checked_extent(Numbers{3}, Numbers{-1}));
}
