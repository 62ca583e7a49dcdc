// What a checkpoint of MMRotate says about itself, by name: for listings and converted files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/io/checkpoint.h"

namespace grasppanda::models::mmrotate {

/// "line" "1.x", "angle_version" "le90", "anchors" "0.x" where they differ from the line: what
/// `told_by` reads again from a converted file.
std::vector<std::pair<std::string, std::string>> told_facts(const io::Checkpoint& checkpoint);

}  // namespace grasppanda::models::mmrotate
