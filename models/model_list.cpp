#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// MMRotate only warns of tensors that its networks have no place for, and so do we.
constexpr bool kTolerant = true;

// The detectors of the two projects: what differs between them stands in their blueprints.
template <auto blueprint>
bool recognises(std::span<const io::NamedArray> tensors) {
  return blueprint().recognises(tensors);
}
template <auto blueprint>
std::vector<ExpectedTensor> expected(const config::Config*,
                                     std::span<const io::NamedArray> tensors) {
  return expected_of(blueprint(), tensors);
}
template <auto blueprint>
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device) {
  return load_detector(blueprint(), config, checkpoint, device);
}

constexpr std::array<ModelEntry, 13> kModels = {{
    {"gsnet", "grasp", gsnet::expected_tensors, gsnet::recognises, gsnet::load},
    {"graspnet_baseline", "grasp", graspnet_baseline::expected_tensors,
     graspnet_baseline::recognises, graspnet_baseline::load},
    {"contact_graspnet", "grasp", contact_graspnet::expected_tensors, contact_graspnet::recognises,
     contact_graspnet::load},
    {"yolo_obb", "ultralytics", nullptr, yolo_obb::recognises, nullptr, yolo_obb::expected_tensors,
     yolo_obb::require_kind, yolo_obb::told_facts, yolo_obb::load},
    {"rotated_retinanet", "mmrotate", nullptr, recognises<mmrotate::rotated_retinanet::blueprint>,
     nullptr, expected<mmrotate::rotated_retinanet::blueprint>, nullptr, mmrotate::told_facts,
     load<mmrotate::rotated_retinanet::blueprint>, kTolerant},
    {"oriented_rcnn", "mmrotate", nullptr, recognises<mmrotate::oriented_rcnn::blueprint>, nullptr,
     expected<mmrotate::oriented_rcnn::blueprint>, nullptr, mmrotate::told_facts,
     load<mmrotate::oriented_rcnn::blueprint>, kTolerant},
    {"rotated_faster_rcnn", "mmrotate", nullptr,
     recognises<mmrotate::rotated_faster_rcnn::blueprint>, nullptr,
     expected<mmrotate::rotated_faster_rcnn::blueprint>, nullptr, mmrotate::told_facts,
     load<mmrotate::rotated_faster_rcnn::blueprint>, kTolerant},
    {"roi_transformer", "mmrotate", nullptr, recognises<mmrotate::roi_transformer::blueprint>,
     nullptr, expected<mmrotate::roi_transformer::blueprint>, nullptr, mmrotate::told_facts,
     load<mmrotate::roi_transformer::blueprint>, kTolerant},
    {"rotated_fcos", "mmrotate", nullptr, recognises<mmrotate::rotated_fcos::blueprint>, nullptr,
     expected<mmrotate::rotated_fcos::blueprint>, nullptr, mmrotate::told_facts,
     load<mmrotate::rotated_fcos::blueprint>, kTolerant},
    {"rotated_retinanet", "oriented_det", nullptr,
     recognises<oriented_det::rotated_retinanet::blueprint>, nullptr,
     expected<oriented_det::rotated_retinanet::blueprint>, nullptr, nullptr,
     load<oriented_det::rotated_retinanet::blueprint>},
    {"oriented_rcnn", "oriented_det", nullptr, recognises<oriented_det::oriented_rcnn::blueprint>,
     nullptr, expected<oriented_det::oriented_rcnn::blueprint>, nullptr, nullptr,
     load<oriented_det::oriented_rcnn::blueprint>},
    {"rotated_faster_rcnn", "oriented_det", nullptr,
     recognises<oriented_det::rotated_faster_rcnn::blueprint>, nullptr,
     expected<oriented_det::rotated_faster_rcnn::blueprint>, nullptr, nullptr,
     load<oriented_det::rotated_faster_rcnn::blueprint>},
    {"rotated_fcos", "oriented_det", nullptr, recognises<oriented_det::rotated_fcos::blueprint>,
     nullptr, expected<oriented_det::rotated_fcos::blueprint>, nullptr, nullptr,
     load<oriented_det::rotated_fcos::blueprint>},
}};

}  // namespace

std::string full_name(const ModelEntry& model) {
  return std::string(model.family) + "/" + std::string(model.name);
}

std::string unsupported_model(std::span<const io::NamedArray> tensors) {
  const std::string_view name = mmrotate::unsupported_detector(tensors);
  return name.empty() ? "" : std::string(name) + " of MMRotate";
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
