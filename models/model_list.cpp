#include <algorithm>
#include <array>
#include <string>

#include "models/contact_graspnet/checkpoint_names.h"
#include "models/contact_graspnet/contact_graspnet.h"
#include "models/graspnet_baseline/checkpoint_names.h"
#include "models/graspnet_baseline/graspnet_baseline.h"
#include "models/gsnet/checkpoint_names.h"
#include "models/gsnet/gsnet.h"
#include "models/mmrotate/oriented_rcnn/oriented_rcnn.h"
#include "models/mmrotate/roi_transformer/roi_transformer.h"
#include "models/mmrotate/rotated_faster_rcnn/rotated_faster_rcnn.h"
#include "models/mmrotate/rotated_fcos/rotated_fcos.h"
#include "models/mmrotate/rotated_retinanet/rotated_retinanet.h"
#include "models/mmrotate/told_facts.h"
#include "models/mmrotate/trunk.h"
#include "models/model.h"
#include "models/oriented_det/oriented_rcnn/oriented_rcnn.h"
#include "models/oriented_det/rotated_faster_rcnn/rotated_faster_rcnn.h"
#include "models/oriented_det/rotated_fcos/rotated_fcos.h"
#include "models/oriented_det/rotated_retinanet/rotated_retinanet.h"
#include "models/yolo_obb/checkpoint_names.h"
#include "models/yolo_obb/yolo_obb.h"

namespace grasppanda::models {

namespace {

void require_mmrotate(const config::Config&, const io::Checkpoint& checkpoint) {
  mmrotate::require_supported(checkpoint.tensors);
}

constexpr std::array<ModelEntry, 13> kModels = {{
    {"gsnet", "grasp", gsnet::expected_tensors, gsnet::recognises, gsnet::load},
    {"graspnet_baseline", "grasp", graspnet_baseline::expected_tensors,
     graspnet_baseline::recognises, graspnet_baseline::load},
    {"contact_graspnet", "grasp", contact_graspnet::expected_tensors, contact_graspnet::recognises,
     contact_graspnet::load},
    {"yolo_obb", "ultralytics", nullptr, yolo_obb::recognises, nullptr, yolo_obb::expected_tensors,
     yolo_obb::require_kind, yolo_obb::told_facts, yolo_obb::load},
    {"rotated_retinanet", "mmrotate", nullptr, mmrotate::rotated_retinanet::recognises, nullptr,
     mmrotate::rotated_retinanet::expected_tensors, require_mmrotate, mmrotate::told_facts,
     mmrotate::rotated_retinanet::load},
    {"oriented_rcnn", "mmrotate", nullptr, mmrotate::oriented_rcnn::recognises, nullptr,
     mmrotate::oriented_rcnn::expected_tensors, require_mmrotate, mmrotate::told_facts,
     mmrotate::oriented_rcnn::load},
    {"rotated_faster_rcnn", "mmrotate", nullptr, mmrotate::rotated_faster_rcnn::recognises, nullptr,
     mmrotate::rotated_faster_rcnn::expected_tensors, require_mmrotate, mmrotate::told_facts,
     mmrotate::rotated_faster_rcnn::load},
    {"roi_transformer", "mmrotate", nullptr, mmrotate::roi_transformer::recognises, nullptr,
     mmrotate::roi_transformer::expected_tensors, require_mmrotate, mmrotate::told_facts,
     mmrotate::roi_transformer::load},
    {"rotated_fcos", "mmrotate", nullptr, mmrotate::rotated_fcos::recognises, nullptr,
     mmrotate::rotated_fcos::expected_tensors, require_mmrotate, mmrotate::told_facts,
     mmrotate::rotated_fcos::load},
    {"rotated_retinanet", "oriented_det", nullptr, oriented_det::rotated_retinanet::recognises,
     nullptr, oriented_det::rotated_retinanet::expected_tensors, nullptr, nullptr,
     oriented_det::rotated_retinanet::load},
    {"oriented_rcnn", "oriented_det", nullptr, oriented_det::oriented_rcnn::recognises, nullptr,
     oriented_det::oriented_rcnn::expected_tensors, nullptr, nullptr,
     oriented_det::oriented_rcnn::load},
    {"rotated_faster_rcnn", "oriented_det", nullptr, oriented_det::rotated_faster_rcnn::recognises,
     nullptr, oriented_det::rotated_faster_rcnn::expected_tensors, nullptr, nullptr,
     oriented_det::rotated_faster_rcnn::load},
    {"rotated_fcos", "oriented_det", nullptr, oriented_det::rotated_fcos::recognises, nullptr,
     oriented_det::rotated_fcos::expected_tensors, nullptr, nullptr,
     oriented_det::rotated_fcos::load},
}};

}  // namespace

std::string full_name(const ModelEntry& model) {
  return std::string(model.family) + "/" + std::string(model.name);
}

std::span<const ModelEntry> model_list() {
  return kModels;
}

const ModelEntry* find_model(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &ModelEntry::name);
  return found == kModels.end() ? nullptr : &*found;
}

const ModelEntry* choose_model(std::string_view name, std::string_view family,
                               std::span<const io::NamedArray> tensors) {
  const ModelEntry* first = nullptr;
  for (const ModelEntry& model : kModels) {
    if (model.name != name) continue;
    if (model.family == family) return &model;
    // A family that is a variant of one network ("yolov8") is that network's own business.
    if (family == "auto" && model.recognises(tensors)) return &model;
    if (first == nullptr) first = &model;
  }
  return first;
}

}  // namespace grasppanda::models
