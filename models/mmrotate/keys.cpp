#include "models/mmrotate/keys.h"

#include <array>

namespace grasppanda::models {

namespace {

using config::Key;
using config::Type;

constexpr double kMostBoxes = 1e6;

const Key kLine = {
    .path = "model.line",
    .type = Type::text,
    .default_yaml = "auto",
    .help = "mmrotate: whose arithmetic around the layers; auto: told by the checkpoint, else 0.x",
    .words = {"auto", "0.x", "1.x"},
    .only_words = true};
const Key kAngleVersion = {
    .path = "model.angle_version",
    .type = Type::text,
    .default_yaml = "auto",
    .help = "mmrotate: convention of the angles; auto: told by the checkpoint, else le90",
    .words = {"auto", "le90", "le135", "oc"},
    .only_words = true};
const Key kResizeMode = {.path = "model.resize_mode",
                         .type = Type::text,
                         .default_yaml = "fixed",
                         .help = "oriented_det: how a picture comes to the network's size",
                         .words = {"fixed", "pad", "keep_ratio", "crop"},
                         .only_words = true};
const Key kMean = {.path = "model.mean",
                   .type = Type::numbers,
                   .default_yaml = "[0.307941, 0.311986, 0.297761]",
                   .help =
                       "oriented_det: mean of red, green, blue in 0..1; default: its DOTA "
                       "recipes'",
                   .min = 0,
                   .max = 1,
                   .count = 3};
const Key kStd = {.path = "model.std",
                  .type = Type::numbers,
                  .default_yaml = "[0.192315, 0.187769, 0.181551]",
                  .help = "oriented_det: standard deviation of red, green, blue in 0..1",
                  .min = 1e-6,
                  .max = 1,
                  .count = 3};
const Key kPreNms = {.path = "model.rpn.pre_nms",
                     .type = Type::integer,
                     .default_yaml = "6000",
                     .help = "oriented_det: proposals of a picture that go into suppression",
                     .min = 1,
                     .max = kMostBoxes};
const Key kPostNms = {.path = "model.rpn.post_nms",
                      .type = Type::integer,
                      .default_yaml = "6000",
                      .help = "oriented_det: proposals that come out of it",
                      .min = 1,
                      .max = kMostBoxes};
const Key kRpnIou = {.path = "model.rpn.nms_iou",
                     .type = Type::number,
                     .default_yaml = "auto",
                     .help =
                         "oriented_det: overlap above which a proposal is dropped; auto: 0.8 "
                         "(oriented_rcnn), 0.7 (rotated_faster_rcnn)",
                     .words = {"auto"},
                     .min = 0,
                     .max = 1};
const Key kTopClass = {.path = "model.top_class_only",
                       .type = Type::boolean,
                       .default_yaml = "true",
                       .help = "oriented_det: only the best class of a region is a candidate"};

const Key kCanvas = {.path = "model.canvas",
                     .type = Type::numbers,
                     .default_yaml = "auto",
                     .help =
                         "oriented_det: [height, width] of what the network sees, pixels; auto: a "
                         "square of input.size",
                     .words = {"auto"},
                     .min = 32,
                     .max = 32768,
                     .count = 2,
                     .whole = true};
const Key kPadDivisor = {.path = "model.pad_divisor",
                         .type = Type::integer,
                         .default_yaml = "32",
                         .help = "oriented_det: the input's sides are padded to multiples of this",
                         .min = 1,
                         .max = 4096};
const Key kStrides = {.path = "model.strides",
                      .type = Type::numbers,
                      .default_yaml = "auto",
                      .help =
                          "oriented_det: strides of the five levels where the sizes of the maps do "
                          "not tell them; auto: 4 to 64, without proposals 8 to 128",
                      .words = {"auto"},
                      .min = 1,
                      .max = 4096,
                      .count = 5,
                      .whole = true};
const Key kNumClasses = {.path = "model.num_classes",
                         .type = Type::integer,
                         .default_yaml = "auto",
                         .help =
                             "oriented_det: compared with the checkpoint, which wins; one more may "
                             "count the background",
                         .words = {"auto"},
                         .min = 1,
                         .max = kMostBoxes};
const Key kFinalNms = {.path = "model.final_nms_use_cpu",
                       .type = Type::boolean,
                       .default_yaml = "auto",
                       .help =
                           "oriented_det: true: exact suppression whatever ORIENTED_DET_* says; "
                           "false: sampled, RetinaNet on a GPU only; auto: detect.nms.method",
                       .words = {"auto"}};

const std::array<Key, 10> kSingleStage = {kLine,       kAngleVersion, kResizeMode, kCanvas,
                                          kMean,       kStd,          kPadDivisor, kStrides,
                                          kNumClasses, kFinalNms};
const std::array<Key, 14> kTwoStage = {kLine,   kAngleVersion, kResizeMode, kCanvas,  kMean,
                                       kStd,    kPadDivisor,   kStrides,    kPreNms,  kPostNms,
                                       kRpnIou, kTopClass,     kNumClasses, kFinalNms};
const std::array<Key, 2> kMmrotateOnly = {kLine, kAngleVersion};

const std::array<Key, 1> kOtherDefaults = {{
    {.path = "output.formats", .default_yaml = "[json, png, html]", .help = ""},
}};

const std::array<config::KeyTable, 5> kTables = {{
    {"rotated_retinanet", kSingleStage, kOtherDefaults},
    {"oriented_rcnn", kTwoStage, kOtherDefaults},
    {"rotated_faster_rcnn", kTwoStage, kOtherDefaults},
    {"roi_transformer", kMmrotateOnly, kOtherDefaults},
    {"rotated_fcos", kSingleStage, kOtherDefaults},
}};

}  // namespace

std::span<const config::KeyTable> published_detector_keys() {
  return kTables;
}

}  // namespace grasppanda::models
