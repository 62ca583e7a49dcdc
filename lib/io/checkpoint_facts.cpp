#include "lib/io/checkpoint_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/io/checkpoint_entries.h"
#include "lib/io/format_error.h"
#include "lib/io/module_graph.h"

namespace grasppanda::io {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxModules = 200'000;
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxClasses = 100'000;

/// The entry that describes the module whose tensors were taken.
const json* module_settings(const Checkpoint& checkpoint) {
  for (const std::string& container :
       {checkpoint.container, std::string("ema"), std::string("model")}) {
    const auto found = checkpoint.other->find(container);
    if (found != checkpoint.other->end() && found->is_object() && found->contains("names")) {
      return &*found;
    }
  }
  return nullptr;
}

std::string as_text(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> names_in_order(const json& names) {
  std::vector<std::string> classes;
  if (names.is_array()) {
    for (const json& name : names) classes.push_back(as_text(name));
  } else if (names.is_object()) {
    for (const auto& [key, name] : names.items()) {
      if (key.empty() || key.size() > 6 || key.find_first_not_of("0123456789") != key.npos) {
        return {};
      }
      const auto index = static_cast<std::size_t>(std::stoul(key));
      if (index >= kMaxClasses) return {};
      while (classes.size() <= index) classes.push_back(std::to_string(classes.size()));
      classes[index] = as_text(name);
    }
  }
  return classes;
}

class Walk {
 public:
  explicit Walk(std::vector<StoredModule>& modules) : modules_(modules) {}

  void visit(const PickleValue& module, const std::string& path, std::size_t depth) {
    if (depth > kMaxDepth || modules_.size() > kMaxModules) {
      throw FormatError("refused: the modules of the checkpoint are nested without end");
    }
    StoredModule stored{.path = path, .type = module.class_name(), .numbers = {}};
    if (const PickleValue* state = module.object()->state;
        state != nullptr && state->is(PickleKind::dict)) {
      const PickleItems& pairs = state->items();
      for (std::size_t i = 0; i < pairs.size(); i += 2) {
        const auto name = pairs[i]->text();
        if (name && !name->starts_with('_') && pairs[i + 1]->number()) {
          stored.numbers.insert_or_assign(std::string(*name), *pairs[i + 1]->number());
        }
      }
    }
    modules_.push_back(std::move(stored));
    const PickleValue* children = module.find("_modules");
    if (children == nullptr || !children->is(PickleKind::dict)) return;
    const PickleItems& pairs = children->items();
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      const auto name = pairs[i]->text();
      if (!name || pairs[i + 1]->object() == nullptr) continue;
      visit(*pairs[i + 1], path.empty() ? std::string(*name) : path + "." + std::string(*name),
            depth + 1);
    }
  }

 private:
  std::vector<StoredModule>& modules_;
};

}  // namespace

std::vector<std::string> checkpoint_class_names(const Checkpoint& checkpoint) {
  if (const json* settings = module_settings(checkpoint)) {
    return names_in_order(settings->at("names"));
  }
  const auto meta = checkpoint.other->find("meta");
  if (meta != checkpoint.other->end() && meta->is_object()) {
    if (const auto classes = meta->find("CLASSES"); classes != meta->end()) {
      return names_in_order(*classes);
    }
    // The newer line of the same projects.
    const auto data = meta->find("dataset_meta");
    if (data != meta->end() && data->is_object() && data->contains("classes")) {
      return names_in_order(data->at("classes"));
    }
  }
  return {};
}

std::optional<std::int64_t> checkpoint_image_size(const Checkpoint& checkpoint) {
  const json* settings = module_settings(checkpoint);
  if (settings == nullptr) return std::nullopt;
  const auto args = settings->find("args");
  if (args == settings->end() || !args->is_object() || !args->contains("imgsz")) {
    return std::nullopt;
  }
  const json& size = args->at("imgsz");
  if (size.is_number()) return static_cast<std::int64_t>(size.get<double>());
  std::optional<std::int64_t> largest;
  if (size.is_array()) {
    for (const json& side : size) {
      if (!side.is_number()) return std::nullopt;
      largest = std::max(largest.value_or(0), static_cast<std::int64_t>(side.get<double>()));
    }
  }
  return largest;
}

std::string checkpoint_text(const Checkpoint& checkpoint, std::string_view key) {
  const auto found = checkpoint.other->find(std::string(key));
  return found != checkpoint.other->end() && found->is_string() ? found->get<std::string>() : "";
}

std::map<std::string, std::string> checkpoint_notes(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> notes;
  const auto metadata = checkpoint.other->find("__metadata__");
  if (metadata == checkpoint.other->end() || !metadata->is_object()) return notes;
  const auto text = metadata->find(kModelNotes);
  if (text == metadata->end() || !text->is_string()) return notes;
  const json parsed = json::parse(text->get<std::string>(), nullptr, false);
  if (!parsed.is_object()) return notes;
  for (const auto& [name, value] : parsed.items()) {
    if (value.is_string()) notes.emplace(name, value.get<std::string>());
  }
  return notes;
}

std::vector<StoredModule> stored_modules(const Checkpoint& checkpoint) {
  std::vector<StoredModule> modules;
  if (checkpoint.source == nullptr || checkpoint.container.empty()) return modules;
  const PickleValue* module = checkpoint.source->root().find(checkpoint.container);
  if (module == nullptr || !is_module(*module)) return modules;
  Walk(modules).visit(*module, "", 0);
  return modules;
}

}  // namespace grasppanda::io
