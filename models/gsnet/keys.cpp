#include "models/gsnet/keys.h"

#include <array>

namespace grasppanda::models {

namespace {

using config::Key;
using config::Type;

const std::array<Key, 4> kKeys = {{
    {.path = "model.voxel_size",
     .type = Type::number,
     .default_yaml = "0.005",
     .help = "edge of the voxels that the backbone sees, metres; weights are trained for one size",
     .min = 0.0005,
     .max = 1.0},
    {.path = "model.graspness_threshold",
     .type = Type::number,
     .default_yaml = "0.1",
     .help = "a point is a candidate when its graspness is greater than this"},
    {.path = "model.seeds",
     .type = Type::integer,
     .default_yaml = "1024",
     .help = "candidates that are kept, far from each other; one grasp each",
     .min = 1,
     .max = 100'000},
    {.path = "model.fold_batch_norm",
     .type = Type::boolean,
     .default_yaml = "true",
     .help = "make the backbone's batch norms part of its weights: faster, equal up to rounding"},
}};

const config::KeyTable kTable = {"gsnet", kKeys, {}};

}  // namespace

const config::KeyTable& gsnet_keys() {
  return kTable;
}

}  // namespace grasppanda::models
