#include "models/contact_graspnet/keys.h"

#include <array>
#include <span>

namespace grasppanda::models {

namespace {

using config::Key;
using config::Type;

const char* check_direction(std::span<const double> v) {
  return v[0] != 0 || v[1] != 0 || v[2] != 0 ? nullptr : "a direction must not be zero";
}

const std::array<Key, 5> kKeys = {{
    {.path = "model.up",
     .type = Type::numbers,
     .default_yaml = "auto",
     .help =
         "up direction: fit the table, keep the camera's axes, or [x, y, z] in the camera frame",
     .words = {"auto", "camera"},
     .count = 3,
     .check = check_direction},
    {.path = "model.fps_start",
     .type = Type::text,
     .default_yaml = "first",
     .help = "where furthest point sampling starts: the first point, or one drawn with the seed",
     .words = {"first", "random"},
     .only_words = true},
    {.path = "model.gripper_width",
     .type = Type::number,
     .default_yaml = "0.08",
     .help = "the predicted width is clamped to half of this, in metres",
     .min = 0.0,
     .max = 1.0,
     .min_exclusive = true},
    {.path = "model.opening",
     .type = Type::text,
     .default_yaml = "full",
     .help = "width of a grasp: 0.08 m, the predicted width, or the width head's magnitude",
     .words = {"full", "predicted", "magnitude"},
     .only_words = true},
    {.path = "model.score_threshold",
     .type = Type::number,
     .default_yaml = "0.5",
     .help = "a grasp is kept when its confidence is greater than this",
     .min = 0.0,
     .max = 1.0},
}};

const std::array<Key, 1> kOtherDefaults = {{
    {.path = "input.num_points", .default_yaml = "20000", .help = ""},
}};

const config::KeyTable kTable = {"contact_graspnet", kKeys, kOtherDefaults};

}  // namespace

const config::KeyTable& contact_graspnet_keys() {
  return kTable;
}

}  // namespace grasppanda::models
