// SeedSequence after M. O'Neill's "Developing a seed_seq alternative" (2015), PCG64 after her "PCG:
// a family of simple fast space-efficient statistically good algorithms for random number
// generation" (2014): the XSL RR variant of 128 bits.
#include "lib/ops/rotated/numpy_generator.h"

#include <array>
#include <cstddef>

namespace grasppanda::ops {
namespace {

using Pool = std::array<std::uint32_t, 4>;

/// Multiplies its way through constants, one for every word that it scrambles.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t factor) : constant_(start), factor_(factor) {}
  std::uint32_t operator()(std::uint32_t word) {
    word ^= constant_;
    constant_ *= factor_;
    word *= constant_;
    return word ^ (word >> 16);
  }

 private:
  std::uint32_t constant_, factor_;
};

std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t word = 0xca01f9ddU * x - 0x4973f715U * y;
  return word ^ (word >> 16);
}

Pool entropy_pool(std::uint64_t seed) {
  const Pool entropy = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0,
                        0};
  Hash hash(0x43b0d7e5U, 0x931e8875U);
  Pool pool;
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hash(entropy[i]);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
  return pool;
}

std::array<std::uint64_t, 4> seed_words(std::uint64_t seed) {
  const Pool pool = entropy_pool(seed);
  Hash hash(0x8b51f9ddU, 0x58f38dedU);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < 2 * words.size(); ++i)
    words[i / 2] |= std::uint64_t{hash(pool[i % pool.size()])} << (32 * (i % 2));
  return words;
}

}  // namespace

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
  const auto words = seed_words(seed);
  increment_ = ((Word{words[2]} << 64 | words[3]) << 1) | 1;
  step();
  state_ += Word{words[0]} << 64 | words[1];
  step();
}

void NumpyGenerator::step() {
  constexpr Word kFactor = Word{2549297995355413924U} << 64 | 4865540595714422341U;
  state_ = state_ * kFactor + increment_;
}

std::uint64_t NumpyGenerator::next() {
  step();
  const auto word = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  const auto turn = static_cast<unsigned>(state_ >> 122);
  return word >> turn | word << ((64 - turn) % 64);
}

double NumpyGenerator::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
}

}  // namespace grasppanda::ops
