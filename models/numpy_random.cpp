#include "models/numpy_random.h"

#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace grasppanda::models {

namespace {

constexpr std::size_t kWords = 624;
constexpr std::size_t kShift = 397;

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

void NumpyRandom::refill() {
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t joined =
        (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
    const std::uint32_t twist = (joined & 1U) != 0 ? 0x9908b0dfU : 0U;
    state_[i] = state_[(i + kShift) % kWords] ^ (joined >> 1) ^ twist;
  }
  used_ = 0;
}

std::uint32_t NumpyRandom::next() {
  if (used_ == kWords) refill();
  std::uint32_t y = state_[used_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

std::uint64_t NumpyRandom::draw(std::uint64_t largest) {
  if (largest == 0) return 0;
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("draw: " + std::to_string(largest) + " does not fit 32 bits");
  }
  const std::uint32_t mask =
      static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(largest)) - 1);
  for (;;) {
    const std::uint32_t value = next() & mask;
    if (value <= largest) return value;
  }
}

NumpyRandom second_generator(std::uint64_t seed) {
  return NumpyRandom(seed ^ 0x5bd1e995U);
}

std::vector<std::int64_t> sample_without_replacement(NumpyRandom& random, std::int64_t n,
                                                     std::int64_t count) {
  if (count < 0 || count > n || n > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("sample_without_replacement: cannot take " + std::to_string(count) +
                                " of " + std::to_string(n));
  }
  std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0U);
  // The whole shuffle, from the back, as NumPy does it: the entries wanted are decided last.
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.draw(i)]);
  return {order.begin(), order.begin() + count};
}

std::vector<std::int64_t> sample_with_repetition(NumpyRandom& random, std::int64_t n,
                                                 std::int64_t count) {
  if (n >= count) return sample_without_replacement(random, n, count);
  std::vector<std::int64_t> sample;
  if (n <= 0) return sample;
  sample.resize(static_cast<std::size_t>(count));
  std::iota(sample.begin(), sample.begin() + n, std::int64_t{0});
  for (auto i = static_cast<std::size_t>(n); i < sample.size(); ++i) {
    sample[i] = static_cast<std::int64_t>(random.draw(static_cast<std::uint64_t>(n) - 1));
  }
  return sample;
}

}  // namespace grasppanda::models
