#include "lib/eval/upstream_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace grasppanda::eval {
namespace {

using Index = std::int64_t;
using Indices = std::vector<Index>;

Indices all_indices(std::size_t count) {
  Indices indices(count);
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

int twice_log2(std::size_t n) {
  return n < 2 ? 0 : 2 * (static_cast<int>(std::bit_width(n)) - 1);
}

// The element at `at` goes down to its place; with `guard` not below it.
template <class Before>
void insert_down(Indices& a, Index at, Index guard, const Before& before) {
  const Index moved = a[at];
  for (; at > guard && before(moved, a[at - 1]); --at) a[at] = a[at - 1];
  a[at] = moved;
}

// std::sort of libstdc++: partitions down to 16 elements, the rest by one insertion sort at the
// end, heap sort where the partitions nest too deep.
class Introsort {
 public:
  Introsort(std::span<const double> scores, Indices& a) : scores_(scores), a_(a) {}

  void run() {
    const Index n = static_cast<Index>(a_.size());
    if (n < 2) return;
    loop(0, n, twice_log2(a_.size()));
    final_insertion(n);
  }

 private:
  static constexpr Index kSmall = 16;

  bool before(Index a, Index b) const { return scores_[a] > scores_[b]; }

  void loop(Index first, Index last, int depth) {
    for (; last - first > kSmall; --depth) {
      if (depth == 0) return heap_sort(first, last);
      const Index cut = partition(first, last);
      loop(cut, last, depth - 1);
      last = cut;
    }
  }

  void heap_sort(Index first, Index last) {
    const auto order = [this](Index a, Index b) { return before(a, b); };
    std::make_heap(a_.begin() + first, a_.begin() + last, order);
    std::sort_heap(a_.begin() + first, a_.begin() + last, order);
  }

  // The median of three goes to the front and is the pivot.
  Index partition(Index first, Index last) {
    const Index x = first + 1, y = first + (last - first) / 2, z = last - 1;
    Index median;
    if (before(a_[x], a_[y])) {
      median = before(a_[y], a_[z]) ? y : before(a_[x], a_[z]) ? z : x;
    } else {
      median = before(a_[x], a_[z]) ? x : before(a_[y], a_[z]) ? z : y;
    }
    std::swap(a_[first], a_[median]);
    const Index pivot = a_[first];
    Index left = first + 1, right = last;
    for (;; ++left) {
      while (before(a_[left], pivot)) ++left;
      do {
        --right;
      } while (before(pivot, a_[right]));
      if (left >= right) return left;
      std::swap(a_[left], a_[right]);
    }
  }

  void final_insertion(Index n) {
    const auto order = [this](Index a, Index b) { return before(a, b); };
    for (Index i = 1; i < std::min(n, kSmall); ++i) {
      if (before(a_[i], a_[0])) {  // to the very front, past equal ones in between
        std::rotate(a_.begin(), a_.begin() + i, a_.begin() + i + 1);
      } else {
        insert_down(a_, i, 0, order);
      }
    }
    for (Index i = kSmall; i < n; ++i) insert_down(a_, i, 0, order);
  }

  std::span<const double> scores_;
  Indices& a_;
};

// NumPy's argsort: segments of 16 or fewer by insertion, the larger part waits on a stack.
class Quicksort {
 public:
  Quicksort(std::span<const double> keys, Indices& a) : keys_(keys), a_(a) {}

  void run() {
    struct Segment {
      Index left, right;
      int depth;
    };
    std::vector<Segment> waiting;
    Segment now{0, static_cast<Index>(a_.size()) - 1, twice_log2(a_.size())};
    for (;;) {
      while (now.right - now.left > 15) {
        if (now.depth-- == 0) {
          heap_sort(now.left, now.right);
          break;
        }
        const Index cut = partition(now.left, now.right);
        Segment low{now.left, cut - 1, now.depth}, high{cut + 1, now.right, now.depth};
        if (cut - now.left >= now.right - cut) std::swap(low, high);
        now = low;
        waiting.push_back(high);
      }
      if (now.right - now.left <= 15) {
        const auto order = [this](Index a, Index b) { return less(a, b); };
        for (Index i = now.left + 1; i <= now.right; ++i) insert_down(a_, i, now.left, order);
      }
      if (waiting.empty()) return;
      now = waiting.back();
      waiting.pop_back();
    }
  }

 private:
  bool less(Index a, Index b) const { return keys_[a] < keys_[b]; }

  void order_pair(Index low, Index high) {
    if (less(a_[high], a_[low])) std::swap(a_[low], a_[high]);
  }

  Index partition(Index left, Index right) {
    const Index middle = left + (right - left) / 2;
    order_pair(left, middle);
    order_pair(middle, right);
    order_pair(left, middle);
    const Index pivot = a_[middle];
    std::swap(a_[middle], a_[right - 1]);
    Index i = left, j = right - 1;
    for (;;) {
      do ++i;
      while (less(a_[i], pivot));
      do --j;
      while (less(pivot, a_[j]));
      if (i >= j) break;
      std::swap(a_[i], a_[j]);
    }
    std::swap(a_[i], a_[right - 1]);
    return i;
  }

  void heap_sort(Index left, Index right) {
    const auto order = [this](Index a, Index b) { return less(a, b); };
    std::make_heap(a_.begin() + left, a_.begin() + right + 1, order);
    std::sort_heap(a_.begin() + left, a_.begin() + right + 1, order);
  }

  std::span<const double> keys_;
  Indices& a_;
};

}  // namespace

std::vector<std::int64_t> introsort_descending(std::span<const double> scores) {
  Indices indices = all_indices(scores.size());
  Introsort(scores, indices).run();
  return indices;
}

std::vector<std::int64_t> quicksort_ascending(std::span<const double> keys) {
  Indices indices = all_indices(keys.size());
  Quicksort(keys, indices).run();
  return indices;
}

}  // namespace grasppanda::eval
