// The seeded draw of points. The public projects draw with NumPy's legacy generator, so this is
// that generator, number for number: a seed means here what it means there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace grasppanda::models {

/// MT19937 as numpy.random.RandomState(seed) runs it. The low 32 bits of `seed` count.
/// Source: Matsumoto and Nishimura, "Mersenne Twister", 1998.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  /// The next 32 random bits.
  std::uint32_t next();

  /// Uniform in 0..largest, by masking and rejection. largest = 0 gives 0 and draws nothing.
  /// Throws std::invalid_argument when largest does not fit 32 bits.
  std::uint64_t draw(std::uint64_t largest);

 private:
  void refill();

  std::array<std::uint32_t, 624> state_;
  std::size_t used_ = 624;
};

/// The generator for every draw of a run but the sampling of the input (table fit, random start):
/// its own stream, so that neither draw moves the other.
NumpyRandom second_generator(std::uint64_t seed);

/// The first `count` entries of a shuffled 0..n-1: different indices in random order, as
/// numpy.random.RandomState.choice(n, count, replace=False). 0 <= count <= n. O(n) time, 4 bytes
/// a point.
std::vector<std::int64_t> sample_without_replacement(NumpyRandom& random, std::int64_t n,
                                                     std::int64_t count);

/// `count` of n points: without replacement when there are enough; otherwise all in order, then
/// count - n draws with replacement. n = 0 gives an empty sample.
std::vector<std::int64_t> sample_with_repetition(NumpyRandom& random, std::int64_t n,
                                                 std::int64_t count);

}  // namespace grasppanda::models
