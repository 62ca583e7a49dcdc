#include "lib/eval/object_store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "lib/eval/parallel_items.h"

namespace grasppanda::eval {

ObjectStore::ObjectStore(Load load, int threads, std::size_t limit_bytes)
    : load_(std::move(load)), threads_(threads), limit_bytes_(limit_bytes) {}

void ObjectStore::load_missing(std::span<const int> ids) {
  std::vector<int> missing;
  for (const int id : ids) {
    if (!entries_.contains(id) && std::ranges::find(missing, id) == missing.end()) {
      missing.push_back(id);
    }
  }
  if (missing.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  std::vector<Entry> loaded(missing.size());
  for_each_item(missing.size(), threads_, [&](std::size_t i) {
    datasets::ObjectFiles files = load_(missing[i]);
    loaded[i].bytes = files.distances.values.size() * sizeof(double);
    loaded[i].model = std::make_unique<const ObjectModel>(std::move(files));
  });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    entries_.emplace(missing[i], std::move(loaded[i]));
  }
  load_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void ObjectStore::drop_unused() {
  std::size_t bytes = 0;
  for (const auto& [id, entry] : entries_) bytes += entry.bytes;
  while (bytes > limit_bytes_) {
    const auto oldest = std::ranges::min_element(
        entries_, {}, [](const auto& item) { return item.second.last_use; });
    if (oldest == entries_.end() || oldest->second.last_use == clock_) return;
    bytes -= oldest->second.bytes;
    entries_.erase(oldest);
  }
}

std::vector<const ObjectModel*> ObjectStore::require(std::span<const int> ids) {
  ++clock_;
  load_missing(ids);
  std::vector<const ObjectModel*> objects;
  for (const int id : ids) {
    Entry& entry = entries_.at(id);
    entry.last_use = clock_;
    objects.push_back(entry.model.get());
  }
  drop_unused();
  return objects;
}

}  // namespace grasppanda::eval
