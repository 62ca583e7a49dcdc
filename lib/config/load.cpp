// A configuration from its layers: file, overrides, defaults.
#include <algorithm>
#include <stdexcept>

#include "lib/config/check_value.h"
#include "lib/config/config.h"
#include "lib/config/key_set.h"
#include "lib/config/read_config_text.h"
#include "lib/config/suggest.h"
#include "lib/config/wanted.h"
#include "lib/config/yaml_document.h"

namespace grasppanda::config {

namespace {

using Kind = YamlNode::Kind;

/// One layer's tree: the file (lines count), or one override under its path.
struct Layer {
  YamlNode root;
  std::string source;  // "run.yaml", "--set"
  bool is_file = false;
  std::filesystem::path base;
};

/// `a.b: value` as the tree {a: {b: value}}.
YamlNode under(std::string_view path, YamlNode value) {
  YamlNode map;
  map.kind = Kind::map;
  map.keys.push_back({std::string(path), 0, 0});
  map.items.push_back(std::move(value));
  return map;
}

/// Problems with a place first, in the order of the file.
[[noreturn]] void throw_sorted(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    const bool a_placed = a.line > 0, b_placed = b.line > 0;
    if (a_placed != b_placed) return a_placed;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  throw ConfigError(std::move(problems));
}

class Loader {
 public:
  Loader(std::span<const KeyTable* const> tables, const std::string& source,
         std::vector<Problem> problems)
      : tables_(tables), problems_(std::move(problems)) {
    config_.source = source;
  }

  Config load(const std::vector<Layer>& layers) {
    const KeyTable* model = find_model(tables_, choose_model(layers));
    const KeySet keys(tables_, model);
    for (const Layer& layer : layers) {
      in_file_.clear();
      take_map(keys, layer, layer.root, "");
    }
    fill_defaults(keys);
    check_together();
    if (!problems_.empty()) throw_sorted(std::move(problems_));
    return std::move(config_);
  }

 private:
  // The keys that are valid depend on model.name, so it is looked for before anything else.
  std::string choose_model(const std::vector<Layer>& layers) {
    const Layer* where = nullptr;
    const YamlNode* name = nullptr;
    for (const Layer& layer : layers) {
      const YamlNode* found = layer.root.find("model.name");
      if (const YamlNode* section = layer.root.find("model");
          found == nullptr && section != nullptr)
        found = section->find("name");
      if (found != nullptr) {
        name = found;
        where = &layer;
      }
    }
    if (name == nullptr) return "";  // fill_defaults says that it is missing
    if (name->kind != Kind::scalar || find_model(tables_, name->text) != nullptr) return name->text;
    // A word of the key itself: `none`, in tables that do without a model.
    const Key* key = KeySet(tables_, nullptr).find("model.name");
    if (key != nullptr && std::ranges::find(key->words, name->text) != key->words.end()) return "";
    model_refused_ = true;
    const auto names = model_names(tables_);
    std::string message = "model.name: unknown model '" + printable(name->text) + "'";
    const std::string meant = did_you_mean(name->text, names);
    message += meant.empty() ? "; this version has" : meant;
    if (meant.empty())
      for (const std::string_view known : names) message += " " + std::string(known);
    problems_.push_back(problem_at(*where, *name, message));
    return "";
  }

  static Problem problem_at(const Layer& layer, const YamlNode& node, std::string message) {
    return {layer.source, layer.is_file ? node.line : 0, layer.is_file ? node.column : 0,
            std::move(message)};
  }

  static std::string shown(const YamlNode& node) {
    if (node.kind == Kind::scalar) return "'" + printable(node.text) + "'";
    return node.kind == Kind::sequence ? "a list" : "a map";
  }

  void take_map(const KeySet& keys, const Layer& layer, const YamlNode& map,
                const std::string& section) {
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      const std::string path =
          section.empty() ? map.keys[i].text : section + "." + map.keys[i].text;
      const YamlNode& node = map.items[i];
      if (const Key* key = keys.find(path)) {
        take_value(*key, layer, map.keys[i], node);
      } else if (keys.is_section(path)) {
        if (node.kind == Kind::map) {
          take_map(keys, layer, node, path);
        } else if (node.kind != Kind::null) {
          std::string message = path + ": wants a map of settings (";
          for (const std::string& name : keys.below(path))
            message += (message.ends_with('(') ? "" : ", ") + name;
          message += "), got " + shown(node);
          if (keys.find(path + ".enabled") != nullptr)
            message += "; " + path + ".enabled: false switches it off";
          problems_.push_back(problem_at(layer, node, message));
        }
      } else if (!(model_refused_ && path.starts_with("model."))) {
        Problem problem{layer.source, layer.is_file ? map.keys[i].line : 0,
                        layer.is_file ? map.keys[i].column : 0, ""};
        problem.message = printable(path) + ": unknown key" + did_you_mean(path, keys.names());
        if (map.keys[i].text == "<<")
          problem.message += "; merge keys are not part of YAML 1.2, write the values out";
        problems_.push_back(std::move(problem));
      }
    }
  }

  void take_value(const Key& key, const Layer& layer, const YamlKey& place, const YamlNode& node) {
    const std::string path(key.path);
    if (path == "model.name" && model_refused_) return;
    if (layer.is_file && !in_file_.emplace(path, place.line).second) {
      problems_.push_back(
          {layer.source, place.line, place.column,
           path + ": is given twice; first in line " + std::to_string(in_file_[path])});
      return;
    }
    auto checked = path == "model.name" ? take_name(key, node) : check_value(key, node);
    if (auto* wrong = std::get_if<std::string>(&checked)) {
      Problem problem = problem_at(layer, node, path + ": " + *wrong);
      // yaml-cpp places an empty value at the next token.
      if (layer.is_file && node.kind == Kind::null)
        problem.line = place.line, problem.column = place.column;
      problems_.push_back(std::move(problem));
      return;
    }
    auto value = std::make_shared<Value>(std::get<Value>(std::move(checked)));
    value->base = layer.base;
    value->origin = layer.is_file ? layer.source + ":" + std::to_string(place.line) : layer.source;
    config_.values.insert_or_assign(path, std::move(value));
  }

  /// Any name will do: choose_model has judged the one that counts.
  static std::variant<Value, std::string> take_name(const Key& key, const YamlNode& node) {
    if (node.kind != Kind::scalar) return check_value(key, node);
    Value value;
    value.key = &key;
    value.text = node.text;
    return value;
  }

  void fill_defaults(const KeySet& keys) {
    for (const Key* key : keys.in_order()) {
      const std::string path(key->path);
      config_.order.push_back(path);
      if (config_.values.contains(path)) continue;
      const std::string_view text = keys.default_yaml(*key);
      if (text.empty()) {
        if (!(path == "model.name" && model_refused_)) report_missing(path);
        continue;
      }
      std::vector<Problem> wrong;
      const auto node = parse_yaml(text, "default", wrong);
      auto checked = check_value(*key, node.value_or(YamlNode{}));
      if (!wrong.empty() || std::holds_alternative<std::string>(checked))
        throw std::logic_error("the default of '" + path + "' is not valid");
      config_.values.emplace(path, std::make_shared<Value>(std::get<Value>(std::move(checked))));
    }
  }

  void report_missing(const std::string& path) {
    // A file that could not be read to its end, or a value that was refused, is trouble enough.
    for (const Problem& problem : problems_)
      if (problem.message.starts_with(path)) return;
    std::string message = path + ": is missing";
    if (path == "model.name") {
      message += "; this version has";
      for (const std::string_view known : model_names(tables_)) message += " " + std::string(known);
    }
    problems_.push_back({config_.source.string(), 0, 0, message});
  }

  void check_together() {
    const auto greater = [&](const std::string& a, const std::string& b) {
      const auto x = config_.values.find(a), y = config_.values.find(b);
      if (x == config_.values.end() || y == config_.values.end()) return;
      const Value &v = *x->second, &w = *y->second;
      if (v.is_word || w.is_word) return;
      const auto number_of = [](const Value& value) {
        return value.type == Type::integer ? static_cast<double>(value.integer) : value.number;
      };
      if (number_of(v) > number_of(w)) return;
      problems_.push_back({"", 0, 0,
                           a + " (" + number_text(number_of(v)) + ", " + v.origin +
                               ") must be greater than " + b + " (" + number_text(number_of(w)) +
                               ", " + w.origin + ")"});
    };
    greater("input.depth.max", "input.depth.min");
    greater("detect.tiling.window", "detect.tiling.overlap");
  }

  Config config_;
  std::span<const KeyTable* const> tables_;
  std::vector<Problem> problems_;
  std::map<std::string, int> in_file_;
  bool model_refused_ = false;
};

}  // namespace

Config parse_config(std::string_view yaml, const std::string& source,
                    std::span<const Override> overrides, std::span<const KeyTable* const> tables) {
  std::vector<Problem> problems;
  std::vector<Layer> layers;
  if (auto root = parse_yaml(yaml, source, problems)) {
    if (root->kind != Kind::map && root->kind != Kind::null)
      problems.push_back({source, root->line, root->column,
                          "wants a map of settings at the top level ('model: ...')"});
    else
      layers.push_back(
          {std::move(*root), source, true, std::filesystem::path(source).parent_path()});
  }
  const bool file_unreadable = layers.empty();
  for (const Override& over : overrides) {
    std::vector<Problem> wrong;
    auto value = parse_yaml(over.yaml, over.origin, wrong);
    for (const Problem& problem : wrong)
      problems.push_back({over.origin, 0, 0, over.path + ": " + problem.message});
    if (value && wrong.empty())
      layers.push_back({under(over.path, std::move(*value)), over.origin, false, {}});
  }
  if (file_unreadable) throw_sorted(std::move(problems));
  return Loader(tables, source, std::move(problems)).load(layers);
}

Config load_config(const std::filesystem::path& file, std::span<const Override> overrides,
                   std::span<const KeyTable* const> tables) {
  return parse_config(read_config_text(file, kMaxYamlBytes), file.string(), overrides, tables);
}

}  // namespace grasppanda::config
