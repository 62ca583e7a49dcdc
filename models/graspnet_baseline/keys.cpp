#include "models/graspnet_baseline/keys.h"

#include <array>

namespace grasppanda::models {

namespace {

const std::array<config::Key, 1> kOtherDefaults = {{
    {.path = "input.num_points", .default_yaml = "20000", .help = ""},
}};

const config::KeyTable kTable = {"graspnet_baseline", {}, kOtherDefaults};

}  // namespace

const config::KeyTable& graspnet_baseline_keys() {
  return kTable;
}

}  // namespace grasppanda::models
