// The one warning of an empty result: at which stage there was nothing left.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace grasppanda::app {

/// "no grasps: nothing is left at 'seeds' (12 at 'sampled')", from the counts in order of the way.
std::string where_it_ran_out(std::span<const std::pair<std::string, std::int64_t>> counts,
                             const std::string& what);

}  // namespace grasppanda::app
