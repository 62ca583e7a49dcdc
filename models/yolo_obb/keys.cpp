#include "models/yolo_obb/keys.h"

#include <array>

namespace grasppanda::models {

namespace {

using config::Key;
using config::Type;

const std::array<Key, 2> kKeys = {{
    {.path = "model.scale",
     .type = Type::text,
     .default_yaml = "auto",
     .help = "size of the network; auto: told by the checkpoint's tensors",
     .words = {"auto", "n", "s", "m", "l", "x"},
     .only_words = true},
    {.path = "model.sppf_activation",
     .type = Type::text,
     .default_yaml = "auto",
     .help = "activation of SPPF's first convolution; auto: the checkpoint's, or its family's",
     .words = {"auto", "silu", "none"},
     .only_words = true},
}};

const std::array<Key, 6> kOtherDefaults = {{
    {.path = "detect.score_threshold", .default_yaml = "0.25", .help = ""},
    {.path = "detect.nms.iou", .default_yaml = "0.7", .help = ""},
    {.path = "detect.nms.method", .default_yaml = "probiou", .help = ""},
    {.path = "detect.max_detections", .default_yaml = "300", .help = ""},
    {.path = "detect.tiling.min_side", .default_yaml = "0", .help = ""},
    {.path = "output.formats", .default_yaml = "[json, png, html]", .help = ""},
}};

const config::KeyTable kTable = {"yolo_obb", kKeys, kOtherDefaults};

}  // namespace

const config::KeyTable& yolo_obb_keys() {
  return kTable;
}

}  // namespace grasppanda::models
