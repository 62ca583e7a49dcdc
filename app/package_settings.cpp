#include "app/package_settings.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/config/config_error.h"
#include "lib/config/read_config_text.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr int kMostFiles = 100;  // bases of bases
constexpr int kDeepestObject = 64;
constexpr std::size_t kMostBytes = 1024 * 1024;  // published ones have some thousand

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw config::ConfigError({{file.string(), 0, 0, message}});
}

/// The reader's own words without its name, the place and the text that it stopped at, which may be
/// as long as the file: "unexpected string literal; expected '}'".
std::string reason_of(const json::exception& error) {
  constexpr std::size_t kLongest = 160;
  std::string reason = error.what();
  if (const std::size_t at = reason.find(" - "); at != std::string::npos) reason.erase(0, at + 3);
  if (const std::size_t at = reason.find("; last read: "); at != std::string::npos) {
    const std::size_t expected = reason.rfind("; expected ");
    const bool behind = expected != std::string::npos && expected > at;
    reason.erase(at, behind ? expected - at : std::string::npos);
  }
  if (reason.size() > kLongest) reason.resize(kLongest);
  return reason;
}

[[noreturn]] void refuse_syntax(const std::filesystem::path& file, std::string_view text,
                                const json::parse_error& error) {
  // `byte` counts from 1 and is the last one read, which may be the end of the text.
  const std::string_view before = text.substr(0, std::min(error.byte > 0 ? error.byte - 1 : 0,  //
                                                          text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  throw config::ConfigError({{file.string(), static_cast<int>(line), static_cast<int>(column),
                              "is no JSON: " + reason_of(error)}});
}

json parsed(const std::filesystem::path& file) {
  const std::string text = config::read_config_text(file, kMostBytes);
  if (text.size() > kMostBytes) {
    refuse(file, "has more than 1 MiB; this is no configuration of oriented-det");
  }
  const auto not_too_deep = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestObject) refuse(file, "is nested without end");
    return true;
  };
  try {
    json own = json::parse(text, not_too_deep);
    if (!own.is_object()) refuse(file, "is no JSON object ('{\"model_type\": ...}')");
    return own;
  } catch (const json::parse_error& error) {
    refuse_syntax(file, text, error);
  } catch (const json::exception& error) {
    refuse(file, "is no JSON: " + config::printable(reason_of(error)));  // a number without end
  }
}

class Merger {
 public:
  explicit Merger(const std::filesystem::path& file) { settings_.file = file; }

  PackageSettings merge() && {
    lay(settings_.file);
    return std::move(settings_);
  }

 private:
  void lay(const std::filesystem::path& file) {
    if (++files_ > kMostFiles) refuse(file, "_base_ files name each other without end");
    const json own = parsed(file);
    const json bases = own.value("_base_", json::array());
    for (const json& base : bases.is_array() ? bases : json::array({bases})) {
      if (!base.is_string()) refuse(file, "_base_ wants the name of a file or a list of them");
      const std::filesystem::path under = file.parent_path() / base.get<std::string>();
      std::error_code ignored;
      if (!std::filesystem::exists(under, ignored)) {
        refuse(file, "_base_: " + under.string() + ": no such file");
      }
      lay(under);
    }
    lay_over(settings_.values, own, file, "");
  }

  /// Objects are merged deep, everything else is replaced, but no section by something else.
  void lay_over(json& under, const json& over, const std::filesystem::path& file,
                const std::string& section) {
    for (const auto& [key, value] : over.items()) {
      if (key.starts_with("_muted_") || key == "_base_") continue;
      const std::string path = section + key;
      const bool was_object = under.contains(key) && under[key].is_object();
      if (value.is_object()) {
        if (!was_object) under[key] = json::object();
        lay_over(under[key], value, file, path + ".");
      } else {
        if (was_object && section.empty() && !value.is_null()) {
          refuse(file, config::printable(path) + ": would replace the settings of " +
                           settings_.file_of(path).string() +
                           " as a whole; wants an object of settings, got " + value.type_name());
        }
        under[key] = value;
      }
      settings_.set_by[path] = file;
    }
  }

  PackageSettings settings_;
  int files_ = 0;
};

}  // namespace

const json* PackageSettings::find(const std::string& dotted_key) const {
  const json* at = &values;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = dotted_key.find('.', begin);
    const std::string part = dotted_key.substr(begin, end == std::string::npos ? end : end - begin);
    if (!at->is_object() || !at->contains(part)) return nullptr;
    at = &(*at)[part];
  }
  return at->is_null() ? nullptr : at;
}

PackageSettings read_package_settings(const std::filesystem::path& file) {
  return Merger(file).merge();
}

}  // namespace grasppanda::app
