// `grasppanda checkpoint inspect` and `grasppanda checkpoint convert`.
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/commands/checkpoint_listing.h"
#include "app/commands/commands.h"
#include "app/log.h"
#include "lib/io/checkpoint_facts.h"
#include "lib/io/safetensors.h"
#include "lib/io/sha256.h"

namespace grasppanda::app {

ExitCode run_checkpoint_inspect(const Invocation& invocation) {
  const config::Config* config = invocation.config ? &*invocation.config : nullptr;
  const CheckpointListing listing = list_checkpoint(invocation.arguments.at(0), config);
  for (const std::string& warning : listing.checkpoint.warnings) log_warning(warning);
  for (const std::string& key : listing.not_finite) {
    log_warning(listing.file.string() + ": '" + key + "' holds NaN or infinite numbers",
                "not finite");
  }
  say_repeated_warnings();
  if (invocation.has("--json")) {
    std::cout << listing_json(listing).dump(2, ' ', false,
                                            nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  } else {
    std::cout << listing_text(listing);
  }
  return ExitCode::done;
}

ExitCode run_checkpoint_convert(const Invocation& invocation) {
  const std::filesystem::path from = invocation.arguments.at(0), to = invocation.arguments.at(1);
  io::Checkpoint checkpoint = io::read_checkpoint(from);
  for (const std::string& warning : checkpoint.warnings) log_warning(warning);
  if (io::strip_module_prefix(checkpoint.tensors)) {
    log_info(from.string() + ": the prefix 'module.' of every key is left out");
  }
  for (const io::NamedArray& tensor : checkpoint.tensors) {
    if (io::count_not_finite(tensor.array) > 0) {
      log_warning(from.string() + ": '" + tensor.key + "' holds NaN or infinite numbers",
                  "not finite");
    }
  }
  say_repeated_warnings();
  std::map<std::string, std::string> metadata = {
      {"format", "pt"}, {"converted_from_sha256", io::sha256_file_hex(from)}};
  // What lay beside the weights (class names, settings) stays with them; read_checkpoint finds it.
  if (!checkpoint.other->empty()) {
    metadata[io::kOtherEntries] =
        checkpoint.other->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  // What its own graph said about the network, which tensors alone do not tell.
  if (const auto facts = checkpoint_facts(checkpoint); !facts.empty()) {
    nlohmann::ordered_json notes = nlohmann::ordered_json::object();
    for (const auto& [name, value] : facts) notes[name] = value;
    metadata[io::kModelNotes] =
        notes.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  io::write_safetensors(to, checkpoint.tensors, metadata);
  std::cout << to.string() << "\n";
  return ExitCode::done;
}

}  // namespace grasppanda::app
