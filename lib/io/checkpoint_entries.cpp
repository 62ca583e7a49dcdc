#include "lib/io/checkpoint_entries.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "lib/io/format_error.h"
#include "lib/io/module_graph.h"
#include "lib/io/printable_text.h"

namespace grasppanda::io {

namespace {

constexpr const char* kContainers[] = {"model_state_dict", "state_dict", "model", "ema"};
// Settings of a pickled module that tell what it is.
constexpr const char* kModuleSettings[] = {"names", "nc", "task", "args", "yaml", "end2end"};

bool is_weight(const PickleValue& value) {
  return value.tensor() != nullptr || (value.array() != nullptr && value.array()->data != nullptr &&
                                       value.array()->data->is(PickleKind::bytes));
}

// A dict (of a pickle: entries key, value, ...) that holds at least one tensor itself.
bool holds_weights(const PickleValue& value) {
  if (!value.is(PickleKind::dict)) return false;
  const PickleItems& pairs = value.items();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (is_weight(*pairs[i + 1])) return true;
  }
  return false;
}

[[noreturn]] void refuse_module(const PickleValue& module, const std::string& name) {
  throw FormatError(name + ": is a pickled module of class " + printable(module.class_name()) +
                    ", a dict of tensors is wanted: load it where that class is defined and save "
                    "its state_dict()");
}

bool is_ultralytics(const PickleValue& module) {
  return is_module(module) && module.class_name().starts_with("ultralytics.");
}

// Do most keys of `other` stand in `chosen` as well? Then it is the same model once more.
bool is_second_set(const PickleValue& chosen, const PickleValue& other) {
  if (is_module(other)) return true;
  if (!holds_weights(other)) return false;
  std::unordered_set<std::string_view> keys;
  const PickleItems& known = chosen.items();
  for (std::size_t i = 0; i < known.size(); i += 2) keys.insert(known[i]->raw());
  const PickleItems& pairs = other.items();
  std::size_t shared = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 2) shared += keys.contains(pairs[i]->raw());
  return 2 * shared >= pairs.size() / 2;
}

}  // namespace

WeightsEntry choose_weights(const PickleValue& root, const std::string& name,
                            std::vector<std::string>& warnings) {
  if (root.object() != nullptr) {
    if (is_module(root)) refuse_module(root, name);
    throw FormatError(name + ": is a pickled object of class " + printable(root.class_name()) +
                      ", a dict of tensors is wanted");
  }
  if (!root.is(PickleKind::dict)) {
    throw FormatError(name + ": holds " + describe(root) + ", a dict of tensors is wanted");
  }
  WeightsEntry chosen;
  // Ultralytics keeps whole modules; the averaged one is the one to use.
  for (const char* container : {"ema", "model"}) {
    const PickleValue* entry = root.find(container);
    if (entry != nullptr && is_ultralytics(*entry)) {
      chosen = {container, entry};
      break;
    }
  }
  for (const char* container : kContainers) {
    const PickleValue* entry = root.find(container);
    if (chosen.value == nullptr && entry != nullptr && holds_weights(*entry)) {
      chosen = {container, entry};
    }
  }
  if (chosen.value == nullptr && holds_weights(root)) chosen = {"", &root};
  if (chosen.value == nullptr) {
    std::string found;
    const PickleItems& pairs = root.items();
    for (std::size_t i = 0; i < std::min<std::size_t>(pairs.size(), 20); i += 2) {
      if (is_module(*pairs[i + 1])) refuse_module(*pairs[i + 1], name);
      found += (i > 0 ? ", '" : "'") + printable(pairs[i]->raw(), 40) + "' (" +
               describe(*pairs[i + 1]) + ")";
    }
    throw FormatError(name +
                      ": holds no tensors under model_state_dict, state_dict, model, ema or "
                      "at the top level" +
                      (found.empty() ? "; it is empty" : "; it holds " + found));
  }
  const PickleItems& pairs = root.items();
  for (std::size_t i = 0; i < pairs.size() && !chosen.container.empty(); i += 2) {
    const PickleValue& value = *pairs[i + 1];
    if (&value == chosen.value || pairs[i]->raw() == chosen.container) continue;
    if (is_second_set(*chosen.value, value)) {
      warnings.push_back(name + ": holds a second set of weights in " + in_quotes(pairs[i]->raw()) +
                         "; those in '" + chosen.container + "' are used");
    }
  }
  return chosen;
}

namespace {

// Writes values as JSON until a budget is used up: a graph can be deep, cyclic, or a few bytes that
// unfold without end.
class Summary {
 public:
  nlohmann::json of(const PickleValue& value, int depth = 0) {
    constexpr int kMaxDepth = 8;
    if (left_ == 0) return "...";
    --left_;
    switch (value.kind) {
      case PickleKind::none:
        return nullptr;
      case PickleKind::boolean:
        return *value.integer() != 0;
      case PickleKind::integer:
        return *value.integer();
      case PickleKind::real:
        return *value.number();
      case PickleKind::text:
        return whole_text(value.raw());
      case PickleKind::global:
        return printable(value.global()->dotted());
      case PickleKind::list:
      case PickleKind::tuple:
      case PickleKind::set:
      case PickleKind::dict:
        break;
      default:
        return describe(value);
    }
    if (depth >= kMaxDepth) return describe(value);
    return value.is(PickleKind::dict) ? dict(value, depth) : list(value, depth);
  }

  void entry(nlohmann::json& object, const PickleValue& key, const PickleValue& value, int depth) {
    std::string name = key.text()      ? whole_text(*key.text())
                       : key.integer() ? std::to_string(*key.integer())
                                       : describe(key);
    object[std::move(name)] = of(value, depth);
  }

 private:
  static constexpr std::size_t kMaxEntries = 1000;

  // As it was written: who shows it on a terminal makes it printable there.
  std::string whole_text(std::string_view text) {
    std::size_t size = std::min(text.size(), text_left_);
    const bool cut = size < text.size();
    while (cut && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    text_left_ -= size;
    return std::string(text.substr(0, size)) + (cut ? "..." : "");
  }

  nlohmann::json list(const PickleValue& value, int depth) {
    nlohmann::json array = nlohmann::json::array();
    for (const PickleValue* item : value.items()) {
      if (array.size() == kMaxEntries) {
        array.push_back("... " + std::to_string(value.items().size() - kMaxEntries) + " more");
        break;
      }
      array.push_back(of(*item, depth + 1));
    }
    return array;
  }
  nlohmann::json dict(const PickleValue& value, int depth) {
    nlohmann::json object = nlohmann::json::object();
    const PickleItems& pairs = value.items();
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      if (i == 2 * kMaxEntries) {
        object["..."] = std::to_string(pairs.size() / 2 - kMaxEntries) + " more";
        break;
      }
      entry(object, *pairs[i], *pairs[i + 1], depth + 1);
    }
    return object;
  }

  std::size_t left_ = 20'000;                     // values
  std::size_t text_left_ = std::size_t{4} << 20;  // bytes; a text can be named again and again
};

// State of optimizers is long and says nothing about the model.
bool is_training_state(std::string_view key) {
  return key.find("optim") != key.npos || key.find("sched") != key.npos || key == "scaler";
}

}  // namespace

nlohmann::json summary_json(const PickleValue& value) {
  return Summary().of(value);
}

nlohmann::json other_entries_json(const PickleValue& root, const WeightsEntry& weights) {
  nlohmann::json other = nlohmann::json::object();
  Summary summary;
  const PickleItems& pairs = root.items();
  const bool at_top = weights.container.empty();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const PickleValue &key = *pairs[i], &value = *pairs[i + 1];
    if (at_top ? is_weight(value) : &value == weights.value) continue;
    const bool is_long = !value.items().empty() || value.object() != nullptr;
    if ((is_training_state(key.raw()) && is_long) || holds_weights(value)) {
      other[std::string(key.raw().substr(0, 500))] = describe(value);
    } else {
      summary.entry(other, key, value, 0);
    }
  }
  if (is_module(*weights.value)) {
    nlohmann::json settings = {{"class", printable(weights.value->class_name())}};
    for (const char* setting : kModuleSettings) {
      if (const PickleValue* value = weights.value->find(setting))
        settings[setting] = summary.of(*value);
    }
    other[weights.container] = std::move(settings);
  }
  return other;
}

}  // namespace grasppanda::io
