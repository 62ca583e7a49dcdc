#include <algorithm>
#include <array>
#include <string>

#include "models/contact_graspnet/checkpoint_names.h"
#include "models/contact_graspnet/contact_graspnet.h"
#include "models/graspnet_baseline/checkpoint_names.h"
#include "models/graspnet_baseline/graspnet_baseline.h"
#include "models/gsnet/checkpoint_names.h"
#include "models/gsnet/gsnet.h"
#include "models/model.h"
#include "models/yolo_obb/checkpoint_names.h"
#include "models/yolo_obb/yolo_obb.h"

namespace grasppanda::models {

namespace {

constexpr std::array<ModelEntry, 4> kModels = {{
    {"gsnet", "grasp", gsnet::expected_tensors, gsnet::recognises, gsnet::load},
    {"graspnet_baseline", "grasp", graspnet_baseline::expected_tensors,
     graspnet_baseline::recognises, graspnet_baseline::load},
    {"contact_graspnet", "grasp", contact_graspnet::expected_tensors, contact_graspnet::recognises,
     contact_graspnet::load},
    {"yolo_obb", "ultralytics", nullptr, yolo_obb::recognises, nullptr, yolo_obb::expected_tensors,
     yolo_obb::require_kind, yolo_obb::told_facts, yolo_obb::load},
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

}  // namespace grasppanda::models
