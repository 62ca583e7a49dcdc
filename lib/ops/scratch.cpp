#include "lib/ops/scratch.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace grasppanda::ops {
namespace {

constexpr std::size_t kKept = std::size_t{64} << 20;  // bytes a thread keeps
constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;

struct Block {
  void* data;
  std::size_t capacity;
};

/// The blocks that this thread holds ready, oldest first.
struct Store {
  std::vector<Block> blocks;
  std::size_t bytes = 0;
  ~Store() {
    for (const Block& block : blocks) std::free(block.data);
  }
};

Store& store() {
  thread_local Store store;
  return store;
}

/// Rounded up by at most an eighth, so that clouds of nearly the same size share blocks.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max(kLine, std::bit_floor(std::max<std::size_t>(bytes, 1)) / 8);
  const std::size_t up = (bytes + step - 1) / step * step;
  return up >= kHugePage ? (up + kHugePage - 1) / kHugePage * kHugePage : std::max(up, kLine);
}

}  // namespace

void* take_scratch(std::size_t bytes, std::size_t& capacity) {
  Store& kept = store();
  auto best = kept.blocks.end();
  for (auto block = kept.blocks.begin(); block != kept.blocks.end(); ++block)
    if (block->capacity >= bytes && block->capacity <= 4 * rounded(bytes) &&
        (best == kept.blocks.end() || block->capacity < best->capacity))
      best = block;
  if (best != kept.blocks.end()) {
    const Block block = *best;
    kept.blocks.erase(best);
    kept.bytes -= block.capacity;
    capacity = block.capacity;
    return block.data;
  }
  capacity = rounded(bytes);
  const bool large = capacity >= kHugePage;
  void* data = std::aligned_alloc(large ? kHugePage : kLine, capacity);
  if (data == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) madvise(data, capacity, MADV_HUGEPAGE);  // advice: whether it is taken is no matter
#endif
  return data;
}

void give_scratch(void* block, std::size_t capacity) noexcept {
  try {
    Store& kept = store();
    if (capacity > kKept) return std::free(block);
    kept.blocks.push_back({block, capacity});
    kept.bytes += capacity;
    while (kept.bytes > kKept) {
      kept.bytes -= kept.blocks.front().capacity;
      std::free(kept.blocks.front().data);
      kept.blocks.erase(kept.blocks.begin());
    }
  } catch (const std::bad_alloc&) {
    std::free(block);
  }
}

}  // namespace grasppanda::ops
