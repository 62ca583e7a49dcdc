#include "app/commands/run_differences.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace grasppanda::app {

namespace {

using nlohmann::json;
using Values = std::vector<std::string>;

// One thing about an evaluation: the values that it has in each run; nothing where the run does not
// say.
struct Trait {
  std::string name;
  std::vector<std::optional<Values>> runs;

  bool differs() const {
    const std::optional<Values>* known = nullptr;
    for (const std::optional<Values>& values : runs) {
      if (!values) continue;
      if (known != nullptr && *values != *known) return true;
      known = &values;
    }
    return false;
  }
};

std::string joined(const Values& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text.empty() ? "none" : text;
}

// A few values are listed; of many their number and some that not every run has.
std::string listed(const Values& values, const Trait& trait) {
  constexpr std::size_t kFew = 6;
  if (values.size() <= kFew) return joined(values);
  Values own;
  for (const std::string& value : values) {
    const bool everywhere = std::ranges::all_of(trait.runs, [&](const auto& other) {
      return !other || std::ranges::find(*other, value) != other->end();
    });
    if (!everywhere) own.push_back(value);
  }
  std::string text = std::to_string(values.size());
  if (own.empty()) return text;
  const bool more = own.size() > kFew;
  own.resize(std::min(own.size(), kFew));
  return text + ", among them " + joined(own) + (more ? ", ..." : "");
}

class Differences {
 public:
  explicit Differences(std::span<const json> metrics) : metrics_(metrics) {}

  /// `values_of(document)` gives std::optional<Values>.
  template <class F>
  void compare(const std::string& name, const F& values_of) {
    Trait trait{name, {}};
    for (const json& document : metrics_) trait.runs.push_back(values_of(document));
    if (!trait.differs()) return;
    std::string text;
    for (std::size_t i = 0; i < trait.runs.size(); ++i) {
      text += (text.empty() ? "" : "; ") + run_label(i) + " " +
              (trait.runs[i] ? listed(*trait.runs[i], trait) : "unknown");
    }
    said_.push_back("the runs differ in the " + name + ": " + text);
  }

  bool none() const { return said_.empty(); }
  std::vector<std::string> take() { return std::move(said_); }

 private:
  std::span<const json> metrics_;
  std::vector<std::string> said_;
};

std::optional<Values> text_of(const json& document, const char* key) {
  if (!document.contains(key)) return {};
  const json& value = document.at(key);
  return Values{value.is_string() ? value.get<std::string>() : value.dump()};
}

Values keys_of(const json& object) {
  Values keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// The first one first: its figures are those at the top.
Values thresholds_of(const json& document) {
  Values values = {document.at("iou").dump()};
  if (!document.contains("by_iou")) return values;
  for (const auto& [key, entry] : document.at("by_iou").items()) {
    if (entry.at("iou") != document.at("iou")) values.push_back(key);
  }
  return values;
}

std::vector<std::string> detection_differences(std::span<const json> metrics) {
  Differences differences(metrics);
  const auto compare_text = [&](const std::string& name, const char* key) {
    differences.compare(name, [key](const json& document) { return text_of(document, key); });
  };
  compare_text("convention", "convention");
  compare_text("kind of overlaps", "overlap");
  differences.compare("overlap thresholds",
                      [](const json& document) { return std::optional(thresholds_of(document)); });
  compare_text("number of images", "images");
  differences.compare("classes", [](const json& document) {
    return std::optional(keys_of(document.at("classes")));
  });
  if (!differences.none()) return differences.take();  // the objects follow from these
  differences.compare("number of objects", [](const json& document) {
    std::int64_t sum = 0;
    for (const json& entry : document.at("classes")) sum += entry.at("gt").get<std::int64_t>();
    return std::optional(Values{std::to_string(sum)});
  });
  return differences.take();
}

// Views of the scenes that every run has; said once where they are the same in all of them.
std::optional<Values> views_of(const json& document, const std::string& camera,
                               const std::set<std::string>& scenes) {
  Values views;
  std::set<std::string> lists;
  for (const std::string& scene : scenes) {
    const json& entry = document.at("cameras").at(camera).at("scenes").at(scene);
    if (!entry.contains("view_list")) return {};
    lists.insert(entry.at("view_list").get<std::string>());
    views.push_back(scene + ": " + entry.at("view_list").get<std::string>());
  }
  return lists.size() == 1 ? Values{*lists.begin()} : views;
}

std::set<std::string> shared_keys(std::span<const json> metrics,
                                  const std::function<const json*(const json&)>& object_of) {
  std::set<std::string> shared;
  for (const json& document : metrics) {
    const Values own = keys_of(*object_of(document));
    std::set<std::string> keys(own.begin(), own.end());
    if (&document == metrics.data()) {
      shared = std::move(keys);
    } else {
      std::erase_if(shared, [&](const std::string& key) { return !keys.contains(key); });
    }
  }
  return shared;
}

std::vector<std::string> grasp_differences(std::span<const json> metrics) {
  Differences differences(metrics);
  const auto cameras_of = [](const json& document) { return &document.at("cameras"); };
  differences.compare("cameras", [&](const json& document) {
    return std::optional(keys_of(*cameras_of(document)));
  });
  for (const std::string& camera : shared_keys(metrics, cameras_of)) {
    const auto scenes_of = [&](const json& document) {
      return &cameras_of(document)->at(camera).at("scenes");
    };
    differences.compare("scenes of " + camera, [&](const json& document) {
      return std::optional(keys_of(*scenes_of(document)));
    });
    const std::set<std::string> scenes = shared_keys(metrics, scenes_of);
    differences.compare("views of " + camera,
                        [&](const json& document) { return views_of(document, camera, scenes); });
  }
  return differences.take();
}

}  // namespace

std::string run_label(std::size_t index) {
  std::string text = "(";
  text += std::to_string(index + 1);
  text += ')';
  return text;
}

std::vector<std::string> run_differences(std::span<const json> metrics) {
  const bool grasps = metrics.front().at("task").get<std::string>() == "grasp";
  return grasps ? grasp_differences(metrics) : detection_differences(metrics);
}

std::vector<std::string> distinct_names(std::span<const std::string> folders) {
  std::vector<Values> paths;
  for (const std::string& folder : folders) {
    Values parts;
    for (const auto& part : std::filesystem::absolute(folder).lexically_normal()) {
      if (!part.empty()) parts.push_back(part.string());  // empty: behind a slash at the end
    }
    std::ranges::reverse(parts);
    paths.push_back(std::move(parts));
  }
  std::vector<std::string> names;
  for (const Values& path : paths) {
    std::size_t count = 1;
    for (const Values& other : paths) {
      if (other == path) continue;  // the same run twice
      const auto [mine, theirs] = std::ranges::mismatch(path, other);
      count = std::max(count, static_cast<std::size_t>(mine - path.begin()) + 1);
    }
    count = std::min(count, path.size());
    std::filesystem::path name;
    for (std::size_t i = count; i-- > 0;) name /= path[i];
    names.push_back(name.string());
  }
  return names;
}

}  // namespace grasppanda::app
