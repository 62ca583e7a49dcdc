// --shard I/N: the part of the inputs that one of several processes takes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "lib/datasets/frame.h"

namespace grasppanda::app {

/// Inputs whose place modulo `count` is `index`. Places are those of the whole list, and so are
/// names, so the parts of one list never clash.
struct Shard {
  std::size_t index = 0, count = 1;

  bool is_whole() const { return count == 1; }
  /// How many of the first `inputs` inputs belong to it.
  std::size_t share(std::size_t inputs) const;
  std::vector<datasets::InputRef> part_of(std::vector<datasets::InputRef> inputs) const;
  std::string text() const;  // "0/3"
};

/// Throws UsageError naming `option` for what is no I/N with I below N.
Shard parse_shard(const std::string& option, const std::string& text);
/// The whole where --shard is not given.
Shard shard_of(const Invocation& invocation);

}  // namespace grasppanda::app
