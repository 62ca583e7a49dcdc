// numpy.random.default_rng(seed): the same numbers.
#pragma once

#include <cstdint>

namespace grasppanda::ops {

/// NumPy's PCG64, seeded through its SeedSequence.
class NumpyGenerator {
 public:
  explicit NumpyGenerator(std::uint64_t seed);

  std::uint64_t next();
  /// rng.uniform(low, high): in [low, high), 53 random bits.
  double uniform(double low, double high);

 private:
  __extension__ using Word = unsigned __int128;
  void step();
  Word state_ = 0, increment_ = 0;
};

}  // namespace grasppanda::ops
