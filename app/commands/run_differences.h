// Whether the metrics of several runs say something about one another.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace grasppanda::app {

/// Of documents of one task, grasppanda.metrics/1: a sentence for each thing in which the runs were
/// evaluated differently (rules, overlaps, thresholds, images, classes, cameras, scenes, views),
/// runs by their number: "the runs differ in the convention: (1) dota; (2) devkit". What a document
/// does not say is not compared. Throws nlohmann::json::exception for documents of another form.
std::vector<std::string> run_differences(std::span<const nlohmann::json> metrics);

/// "(1)" for the first.
std::string run_label(std::size_t index);

/// The folders' own names; where several are called alike, with as many parents as tell them apart.
std::vector<std::string> distinct_names(std::span<const std::string> folders);

}  // namespace grasppanda::app
