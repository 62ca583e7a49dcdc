// What `test` says about detections: metrics.json, precision-recall curves, the table.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "lib/eval/detection_map.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

/// How the overlaps came about; the figures name it.
enum class OverlapMethod : std::uint8_t { exact, sampled };

/// {"schema": "grasppanda.metrics/1", "task": "detection", "convention", "overlap", "iou",
/// "mAP_voc07", "mAP_area", "classes": {...}} of the first threshold; with several, all of them and
/// their mean under "by_iou". Fractions; a class without counted objects has null.
nlohmann::ordered_json detection_metrics_json(std::span<const eval::MapResult> results,
                                              eval::MapConvention convention,
                                              OverlapMethod overlap);

/// In percent, a table a threshold, a row per class; of several thresholds the mean at the end.
std::string detection_metrics_table(std::span<const eval::MapResult> results,
                                    eval::MapConvention convention, OverlapMethod overlap);

/// curves/CLASS.csv (score, recall, precision) and pictures/curves/CLASS.png of every class, the
/// class as it may be called in a folder; returns their names.
std::vector<std::string> write_curves(const eval::MapResult& result, const run::RunDirectory& run);

}  // namespace grasppanda::app
