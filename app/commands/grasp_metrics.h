// What `test` says about grasps: metrics.json, the accuracy arrays, the table for a person.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "lib/eval/grasp_ap.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

/// {"schema": "grasppanda.metrics/1", "task": "grasp", "cameras": {CAMERA: {"AP", "AP0.8", "AP0.4",
/// "views", "splits": {...}, "scenes": {...}}}}, fractions; a split without scenes is null.
/// `views`: of each scene, listed in it as --views takes them ("0-36,128").
nlohmann::ordered_json grasp_metrics_json(std::span<const eval::SceneAccuracy> scenes,
                                          std::span<const datasets::SceneViews> views);

/// In percent, as it is published: a row per camera.
std::string grasp_metrics_table(const nlohmann::ordered_json& metrics);

/// accuracy/SCENE/CAMERA.npy, (views, 50, 6) float64; returns that name.
std::string write_accuracy(const eval::SceneVerdicts& scene, const run::RunDirectory& run);

/// One line for each grasp that counts: what it was found to be, and where.
std::string grasp_detail_lines(const eval::SceneVerdicts& scene, std::span<const int> object_ids);

}  // namespace grasppanda::app
