// The k nearest candidates of one query so far, as keys of (bits of the squared distance, index).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace grasppanda::ops::nearest {

inline constexpr std::uint64_t kUnfilled = ~std::uint64_t{0};

inline std::uint64_t key_of(float squared, std::uint32_t index) {
  return (static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(squared)) << 32) | index;
}

/// The k best keys so far. Small k: kept sorted. Larger k: gathered unsorted and cut back to the k
/// best when the room is full, so that a candidate costs a store instead of a long insertion.
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)), sorted_(k <= kSortedUpTo) {
    if (sorted_) std::fill(keys_, keys_ + k_, kUnfilled), count_ = k_;
  }
  /// No candidate beyond this squared distance can be among the k best; +inf while fewer are known.
  float reach() const { return reach_; }

  void offer(std::uint64_t key) {
    if (key >= worst_) return;
    if (sorted_) {
      std::size_t slot = k_ - 1;
      for (; slot > 0 && keys_[slot - 1] > key; --slot) keys_[slot] = keys_[slot - 1];
      keys_[slot] = key;
      set_worst(keys_[k_ - 1]);
      return;
    }
    keys_[count_++] = key;
    if (count_ == kRoom) cut();
  }
  /// To be called between boxes: brings `reach` up to date where that is cheap enough to pay.
  void refresh() {
    if (!sorted_ && count_ >= 2 * k_) cut();
  }
  const std::uint64_t* sorted_keys() {
    if (!sorted_) std::sort(keys_, keys_ + count_);
    return keys_;
  }

 private:
  static constexpr std::int64_t kSortedUpTo = 8;
  static constexpr std::size_t kRoom = 256;

  void set_worst(std::uint64_t key) {
    worst_ = key;
    if (key != kUnfilled) reach_ = std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
  }
  void cut() {
    std::nth_element(keys_, keys_ + k_ - 1, keys_ + count_);
    count_ = k_;
    set_worst(keys_[k_ - 1]);
  }

  std::size_t k_, count_ = 0;
  bool sorted_;
  std::uint64_t worst_ = kUnfilled;
  float reach_ = std::numeric_limits<float>::infinity();
  std::uint64_t keys_[kRoom];
};

}  // namespace grasppanda::ops::nearest
