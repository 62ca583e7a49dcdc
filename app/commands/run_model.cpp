#include "app/commands/run_model.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <future>

#include "app/log.h"
#include "app/report_error.h"
#include "lib/io/checkpoint.h"
#include "models/checkpoint_error.h"

namespace grasppanda::app {

namespace {

// The first ten and how many there are.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() <= 10 ? text : text + ", ... (" + std::to_string(names.size()) + " in all)";
}

// What is wrong with a checkpoint is said of its file.
void about_file(const std::filesystem::path& file, const auto& work) {
  try {
    work();
  } catch (const models::CheckpointError& error) {
    throw models::CheckpointError("checkpoint " + file.string() + ": " + error.what());
  }
}

}  // namespace

RunModel load_run_model(const config::Config& config, const std::string& device) {
  RunModel result{.name = config.text("model.name")};
  const models::ModelEntry* entry = models::find_model(result.name);
  if (entry == nullptr) throw UsageError("model.name: there is no model '" + result.name + "'");
  if (config.is("model.checkpoint", "none")) {
    throw UsageError("no weights: give --checkpoint FILE, or model.checkpoint in the config");
  }
  const std::filesystem::path file = config.file("model.checkpoint");
  const io::Checkpoint checkpoint = io::read_checkpoint(file);
  // The fingerprint is made while the network is.
  std::future<run::FileStamp> stamp = std::async(std::launch::async, [&file] {
    return run::stamp_file(file, std::filesystem::absolute(file).lexically_normal().string());
  });
  entry = models::choose_model(result.name, config.text("model.family"), checkpoint.tensors);
  result.tensors = checkpoint.tensors.size();
  result.warnings = checkpoint.warnings;
  if (entry->require_kind != nullptr) {
    about_file(file, [&] { entry->require_kind(config, checkpoint); });
  }
  const models::CheckpointMatch match =
      models::match_checkpoint(*entry, &config, checkpoint.tensors);
  models::require_match(*entry, match, checkpoint.tensors, file.string());
  if (!match.not_finite.empty()) {
    result.warnings.push_back(
        file.string() + ": holds weights that are NaN or infinite: " + listed(match.not_finite));
  }
  if (std::ranges::all_of(checkpoint.tensors, [](const io::NamedArray& tensor) {
        return tensor.key.starts_with("module.");
      })) {
    log_info(file.string() + ": the prefix 'module.' of every key is left out");
  }
  if (!match.unexpected.empty()) {
    // A model that takes leftovers for an error has refused them before.
    result.warnings.push_back(file.string() + ": tensors that " + result.name +
                              " has no place for are left out: " + listed(match.unexpected));
  }
  if (!match.unused.empty()) {
    log_debug(file.string() + ": present, not used: " + listed(match.unused));
  }
  about_file(file, [&] {
    if (entry->is_detector()) {
      result.detector = entry->load_detector(config, checkpoint, at::Device(device));
    } else {
      result.model = entry->load(config, checkpoint, at::Device(device));
    }
  });
  if (result.detector) {
    for (const std::string& warning : result.detector->info().warnings) {
      result.warnings.push_back(file.string() + ": " + warning);
    }
  }
  result.checkpoint = stamp.get();
  return result;
}

}  // namespace grasppanda::app
