#include "lib/eval/metric_list.h"

#include "lib/datasets/dota.h"
#include "lib/datasets/grasp_truth.h"

namespace grasppanda::eval {
namespace {

constexpr MetricEntry kMetrics[] = {
    {"grasp_ap", "grasp", "GraspNet-1Billion", "scenes/scene_NNNN/CAMERA/annotations",
     datasets::has_grasp_truth},
    {"detection_map", "detection", "DOTA", "labelTxt", datasets::has_dota_truth},
};

}  // namespace

std::span<const MetricEntry> metric_list() {
  return kMetrics;
}

const MetricEntry* find_metric(const std::filesystem::path& root) {
  for (const MetricEntry& metric : kMetrics) {
    if (metric.has_truth(root)) return &metric;
  }
  return nullptr;
}

}  // namespace grasppanda::eval
