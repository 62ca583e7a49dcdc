#include "lib/config/class_sets.h"

#include <array>

namespace grasppanda::config {

namespace {

// 1.5 and 2.0 append to 1.0.
constexpr std::array<std::string_view, 18> kDota = {"plane",
                                                    "baseball-diamond",
                                                    "bridge",
                                                    "ground-track-field",
                                                    "small-vehicle",
                                                    "large-vehicle",
                                                    "ship",
                                                    "tennis-court",
                                                    "basketball-court",
                                                    "storage-tank",
                                                    "soccer-ball-field",
                                                    "roundabout",
                                                    "harbor",
                                                    "swimming-pool",
                                                    "helicopter",
                                                    "container-crane",
                                                    "airport",
                                                    "helipad"};

}  // namespace

std::vector<std::string> class_set(std::string_view word) {
  if (word == "hrsc") return {"ship"};
  const std::size_t count = word == "dota15"   ? 15
                            : word == "dota16" ? 16
                            : word == "dota18" ? 18
                                               : 0;
  return {kDota.begin(), kDota.begin() + count};
}

}  // namespace grasppanda::config
