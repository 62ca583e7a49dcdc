// What `checkpoint inspect` says about a file, as JSON and as a table.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "models/model.h"

namespace grasppanda::app {

/// How the tensors compare with one model.
struct ListedMatch {
  std::string model;  // "grasp/contact_graspnet"
  models::CheckpointMatch match;
};

struct CheckpointListing {
  std::filesystem::path file;
  std::string file_sha256;
  io::Checkpoint checkpoint;
  std::vector<std::string> sha256;      // of each tensor's bytes
  std::vector<std::string> not_finite;  // keys of tensors with NaN or infinite items
  std::vector<std::string> fits;        // "family/name"
  std::string unsupported;              // "S2ANet of MMRotate": known, and not supported
  /// With a config: its model. Without: the model whose telling keys the file has, if any.
  std::optional<ListedMatch> compared;
  /// What the file says about its network, where its model can tell: family, scale, classes, ...
  std::vector<std::pair<std::string, std::string>> facts;
};

/// The facts by the first model that recognises the tensors; empty where none does.
std::vector<std::pair<std::string, std::string>> checkpoint_facts(const io::Checkpoint& checkpoint);

/// Throws io::FormatError as read_checkpoint does.
CheckpointListing list_checkpoint(const std::filesystem::path& file, const config::Config* config);

nlohmann::ordered_json listing_json(const CheckpointListing& listing);
std::string listing_text(const CheckpointListing& listing);

}  // namespace grasppanda::app
