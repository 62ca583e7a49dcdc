#include "models/yolo_obb/checkpoint_names.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/io/checkpoint_facts.h"
#include "models/checkpoint_error.h"

namespace grasppanda::models::yolo_obb {

namespace {

std::string last_name(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

bool is_activation(const io::StoredModule& module) {
  return module.path.ends_with(".act");
}

/// The part of that path, or null.
const io::StoredModule* part(const std::vector<io::StoredModule>& modules,
                             const std::string& path) {
  const auto found = std::ranges::find(modules, path, &io::StoredModule::path);
  return found == modules.end() ? nullptr : &*found;
}

/// The class of the last layer of the graph; empty for files without one.
std::string head_class(const std::vector<io::StoredModule>& modules) {
  std::string head;
  for (const io::StoredModule& module : modules) {
    // Children of the root's one Sequential: "model.0" ... "model.23".
    const std::string_view path = module.path;
    if (path.starts_with("model.") && path.find('.', 6) == path.npos) head = module.type;
  }
  return last_name(head);
}

void require_head(const std::vector<io::StoredModule>& modules) {
  if (modules.empty()) return;
  const std::string head = head_class(modules);
  if (head == "OBB" || head == "OBB26") return;
  throw CheckpointError("the head of this network is of class " + (head.empty() ? "?" : head) +
                        "; only oriented boxes (heads OBB and OBB26) are supported");
}

void require_activations(const std::vector<io::StoredModule>& modules) {
  for (const io::StoredModule& module : modules) {
    const std::string name = last_name(module.type);
    if (is_activation(module) && name != "SiLU" && name != "Identity") {
      throw CheckpointError("'" + module.path + "' is of class " + name +
                            "; networks with SiLU are supported");
    }
  }
}

/// Does SPPF's first convolution have an activation: what the file says, by its graph or by the
/// note of a conversion.
std::optional<bool> stored_sppf_activation(const io::Checkpoint& checkpoint,
                                           const std::vector<io::StoredModule>& modules) {
  if (const io::StoredModule* act = part(modules, "model.9.cv1.act")) {
    return last_name(act->type) != "Identity";
  }
  const auto notes = io::checkpoint_notes(checkpoint);
  if (const auto note = notes.find("sppf_activation"); note != notes.end()) {
    return note->second != "none";
  }
  return {};
}

/// The file decides, then the config, then what the family's files mostly have.
bool sppf_activation(const io::Checkpoint& checkpoint, const std::vector<io::StoredModule>& modules,
                     const config::Config* config, Family family) {
  if (const auto stored = stored_sppf_activation(checkpoint, modules)) return *stored;
  if (config != nullptr && !config->is("model.sppf_activation", "auto")) {
    return config->text("model.sppf_activation") == "silu";
  }
  return family != Family::yolo26;
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const config::Config*,
                                             std::span<const io::NamedArray> tensors) {
  if (!told_family(tensors)) return tensors_of(architecture(Family::yolov8, 'n', 15));
  return tensors_of(told_architecture(tensors), tensors);
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return told_family(tensors).has_value();
}

void require_kind(const config::Config& config, const io::Checkpoint& checkpoint) {
  const std::vector<io::StoredModule> modules = io::stored_modules(checkpoint);
  require_head(modules);
  require_activations(modules);
  const std::optional<Family> family = told_family(checkpoint.tensors);
  if (!family) return;  // the comparison of tensors tells more
  const std::string wanted = config.text("model.family");
  if (!config.is("model.family", "auto") && wanted != family_name(*family)) {
    throw CheckpointError("it is of family " + std::string(family_name(*family)) +
                          ", model.family wants " + wanted + "; set it to auto");
  }
  const auto sppf = stored_sppf_activation(checkpoint, modules);
  if (sppf && !config.is("model.sppf_activation", "auto") &&
      *sppf != (config.text("model.sppf_activation") == "silu")) {
    throw CheckpointError("its SPPF has " + std::string(*sppf ? "an" : "no") +
                          " activation, model.sppf_activation wants " +
                          config.text("model.sppf_activation") + "; set it to auto");
  }
  if (config.is("model.scale", "auto")) return;
  const Architecture net = told_architecture(checkpoint.tensors);
  if (net.scale != config.text("model.scale")) {
    throw CheckpointError("it is " + std::string(family_name(*family)) + " of scale " + net.scale +
                          ", model.scale wants " + config.text("model.scale") + "; set it to auto");
  }
}

StoredSettings stored_settings(const io::Checkpoint& checkpoint, const config::Config* config) {
  const std::vector<io::StoredModule> modules = io::stored_modules(checkpoint);
  StoredSettings settings;
  settings.net = told_architecture(checkpoint.tensors);
  settings.classes = io::checkpoint_class_names(checkpoint);
  settings.image_size = io::checkpoint_image_size(checkpoint).value_or(0);
  settings.license = io::checkpoint_text(checkpoint, "license");
  settings.sppf_activation = sppf_activation(checkpoint, modules, config, settings.net.family);
  for (const io::StoredModule& module : modules) {
    if (!is_activation(module)) continue;
    settings.activations[module.path.substr(0, module.path.size() - 4)] =
        last_name(module.type) != "Identity";
  }
  settings.activations["model.9.cv1"] = settings.sppf_activation;
  for (const io::StoredModule& module : modules) {
    if (last_name(module.type) != "BatchNorm2d") continue;
    const auto eps = module.numbers.find("eps");
    if (eps != module.numbers.end() && eps->second > 0) settings.norm_eps = eps->second;
    break;
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> told_facts(const io::Checkpoint& checkpoint) {
  const StoredSettings settings = stored_settings(checkpoint, nullptr);
  std::string classes;
  for (const std::string& name : settings.classes) {
    classes += (classes.empty() ? "" : ", ") + name;
  }
  std::vector<std::pair<std::string, std::string>> facts = {
      {"family", std::string(family_name(settings.net.family))},
      {"scale", settings.net.scale},
      {"sppf_activation", settings.sppf_activation ? "silu" : "none"},
      {"classes", std::to_string(settings.net.classes) + (classes.empty() ? "" : ": " + classes)}};
  if (settings.image_size > 0) {
    facts.emplace_back("image_size", std::to_string(settings.image_size));
  }
  if (!settings.license.empty()) facts.emplace_back("license", settings.license);
  return facts;
}

}  // namespace grasppanda::models::yolo_obb
