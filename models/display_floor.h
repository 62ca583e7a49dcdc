// The last step of every detector: what lies below the floor for what is shown is dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "models/detector_settings.h"
#include "models/model.h"

namespace grasppanda::models {

/// Counts those that stay ("above_display_threshold") where there is a floor. `class_of`: the
/// member of a candidate that tells its class; its score is `score`.
template <class Candidate>
void drop_hidden(std::vector<Candidate>& candidates, const DetectSettings& settings,
                 std::int32_t Candidate::*class_of, Accounting& accounting) {
  if (!settings.has_display_floor()) return;
  std::erase_if(candidates,
                [&](const Candidate& c) { return !settings.is_shown(c.score, c.*class_of); });
  accounting.counts.emplace_back("above_display_threshold",
                                 static_cast<std::int64_t>(candidates.size()));
}

}  // namespace grasppanda::models
