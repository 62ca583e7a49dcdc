// The tie rules of furthest_point_sample as one: a list of the points in which the earlier wins.
#pragma once

#include <cstdint>
#include <vector>

namespace grasppanda::ops {

/// Ranks of indices 0..n-1 under the rule `pointnet2_cuda`: with T = min(512, 2^floor(log2 n)),
/// point i belongs to thread i mod T; the smaller bit-reversed thread wins, then the smaller index.
class PointNet2Order {
 public:
  explicit PointNet2Order(std::int64_t n) : n_(n) {
    while (threads_ * 2 <= n && threads_ < 512) threads_ *= 2, ++bits_;
    start_.resize(static_cast<std::size_t>(threads_));
    thread_at_.resize(static_cast<std::size_t>(threads_));
    std::int64_t rank = 0;
    for (std::int64_t reversed = 0; reversed < threads_; ++reversed) {
      std::int64_t thread = 0;
      for (int bit = 0; bit < bits_; ++bit) thread |= ((reversed >> bit) & 1) << (bits_ - 1 - bit);
      start_[static_cast<std::size_t>(thread)] = rank;
      thread_at_[static_cast<std::size_t>(reversed)] = thread;
      rank += (n_ - thread + threads_ - 1) / threads_;
    }
  }

  std::int64_t rank(std::int64_t index) const {
    return start_[static_cast<std::size_t>(index & (threads_ - 1))] + index / threads_;
  }
  /// All indices, most preferred first.
  std::vector<std::uint32_t> indices() const {
    std::vector<std::uint32_t> list;
    list.reserve(static_cast<std::size_t>(n_));
    for (std::int64_t thread : thread_at_)
      for (std::int64_t i = thread; i < n_; i += threads_)
        list.push_back(static_cast<std::uint32_t>(i));
    return list;
  }

 private:
  std::int64_t n_, threads_ = 1;
  int bits_ = 0;
  std::vector<std::int64_t> start_, thread_at_;
};

}  // namespace grasppanda::ops
