// A set of indices that is filled in any order and read in ascending order, without sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace grasppanda::ops {

/// Bitmap over 0..n-1 with a second bitmap of its words that are not empty: reading and clearing
/// costs the words in use, not n.
class IndexSet {
 public:
  explicit IndexSet(std::size_t n) : words_((n + 63) / 64), used_((words_.size() + 63) / 64) {}

  void insert(std::uint32_t index) {
    words_[index >> 6] |= std::uint64_t{1} << (index & 63);
    used_[index >> 12] |= std::uint64_t{1} << ((index >> 6) & 63);
  }
  /// Hands the indices to `take` in ascending order until it returns false; empties the set.
  template <class Take>
  void drain(const Take& take) {
    bool taking = true;
    for (std::size_t u = 0; u < used_.size(); ++u) {
      for (std::uint64_t used = used_[u]; used != 0; used &= used - 1) {
        const std::size_t w = u * 64 + static_cast<std::size_t>(__builtin_ctzll(used));
        for (std::uint64_t word = words_[w]; taking && word != 0; word &= word - 1)
          taking = take(
              static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(word))));
        words_[w] = 0;
      }
      used_[u] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> words_, used_;
};

}  // namespace grasppanda::ops
