// Prepared objects, kept from scene to scene within a limit of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lib/eval/grasp_view.h"

namespace grasppanda::eval {

class ObjectStore {
 public:
  using Load = std::function<datasets::ObjectFiles(int id)>;
  /// `limit_bytes`: objects that the scene at hand does not need are dropped beyond it, the longest
  /// unused first.
  ObjectStore(Load load, int threads, std::size_t limit_bytes);

  /// The objects of a scene, in this order; what is missing is loaded on several threads. They stay
  /// valid until the next call. What `load` throws is passed on.
  std::vector<const ObjectModel*> require(std::span<const int> ids);

  double load_seconds() const { return load_seconds_; }

 private:
  struct Entry {
    std::unique_ptr<const ObjectModel> model;
    std::size_t bytes = 0;
    std::size_t last_use = 0;
  };
  void load_missing(std::span<const int> ids);
  void drop_unused();

  Load load_;
  int threads_;
  std::size_t limit_bytes_, clock_ = 0;
  double load_seconds_ = 0;
  std::map<int, Entry> entries_;
};

}  // namespace grasppanda::eval
