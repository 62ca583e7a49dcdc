// What `test` says about detections: metrics.json, precision-recall curves, the table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "lib/eval/detection_map.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

/// {"schema": "grasppanda.metrics/1", "task": "detection", "convention", "iou", "mAP_voc07",
/// "mAP_area", "classes": {...}} of the first threshold; with several, all of them and their mean
/// under "by_iou". Fractions; a class without counted objects has null.
nlohmann::ordered_json detection_metrics_json(std::span<const eval::MapResult> results,
                                              eval::MapConvention convention);

/// In percent, a row per class.
std::string detection_metrics_table(const eval::MapResult& result, eval::MapConvention convention);

/// curves/CLASS.csv (score, recall, precision) and pictures/curves/CLASS.png of every class.
void write_curves(const eval::MapResult& result, const run::RunDirectory& run);

}  // namespace grasppanda::app
