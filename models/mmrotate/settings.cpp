#include "models/mmrotate/settings.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "lib/io/checkpoint_facts.h"
#include "models/checkpoint_error.h"

namespace grasppanda::models::mmrotate {

namespace {

std::vector<std::string> texts_of(const io::PickleValue* value) {
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  for (const io::PickleValue* item : value->items()) {
    if (const auto text = item->text()) texts.emplace_back(*text);
  }
  return texts;
}

/// The angle version that the text of a training configuration sets: angle_version='le90'. Several
/// different ones: none.
std::optional<AngleConvention> angle_in(std::string_view text) {
  constexpr std::string_view kKey = "angle_version";
  std::optional<AngleConvention> found;
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    std::string_view rest = text.substr(at + kKey.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" =:'\""), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_not_of("leoc0123456789"));
    const auto angle = geometry::parse_angle_convention(word);
    if (!angle) continue;
    if (found && *found != *angle) return std::nullopt;
    found = angle;
  }
  return found;
}

/// What stands behind `name` = or : up to the bracket that closes what is opened there; empty where
/// the name is not there.
std::string_view section_of(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + name.size());
  int open = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (std::string_view("([{").find(rest[i]) != text.npos) ++open;
    if (std::string_view(")]}").find(rest[i]) != text.npos && --open <= 0) return rest.substr(0, i);
  }
  return rest;
}

bool has_plain_anchors(std::string_view text) {
  constexpr std::string_view kKey = "angle_version";
  std::string_view rest = section_of(text, "anchor_generator");
  const std::size_t at = rest.find(kKey);
  if (at == rest.npos) return false;
  rest.remove_prefix(at + kKey.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" =:'\""), rest.size()));
  return rest.starts_with("None");
}

[[noreturn]] void refuse_difference(const std::string& key, std::string_view wanted,
                                    std::string_view told) {
  throw CheckpointError(key + " is " + std::string(wanted) + ", the checkpoint was trained with " +
                        std::string(told) + "; set " + key + ": " + std::string(told) +
                        ", or take the configuration of that name");
}

}  // namespace

std::string_view line_name(Line line) {
  return line == Line::v0 ? "0.x" : "1.x";
}

Told told_by(const io::Checkpoint& checkpoint) {
  Told told;
  told.classes = io::checkpoint_class_names(checkpoint);
  const auto notes = io::checkpoint_notes(checkpoint);
  if (const auto note = notes.find("angle_version"); note != notes.end()) {
    told.angle = geometry::parse_angle_convention(note->second);
  }
  if (const auto note = notes.find("line"); note != notes.end()) {
    told.line = note->second == "1.x" ? Line::v1 : Line::v0;
  }
  if (const auto note = notes.find("anchors"); note != notes.end()) {
    told.plain_anchors = note->second == line_name(Line::v0);
  }
  if (checkpoint.source == nullptr) return told;
  const io::PickleValue* meta = checkpoint.source->root().find("meta");
  if (meta == nullptr) return told;
  if (const io::PickleValue* data = meta->find("dataset_meta")) {
    told.line = Line::v1;
    for (const char* key : {"classes", "CLASSES"}) {
      if (told.classes.empty()) told.classes = texts_of(data->find(key));
    }
  }
  if (const io::PickleValue* version = meta->find("mmrotate_version")) {
    told.line = version->raw().starts_with("0.") ? Line::v0 : Line::v1;
  } else if (meta->find("mmengine_version") != nullptr) {
    told.line = Line::v1;
  }
  for (const char* key : {"config", "cfg"}) {
    const io::PickleValue* text = meta->find(key);
    if (text == nullptr) continue;
    if (!told.angle) told.angle = angle_in(text->raw());
    told.plain_anchors = told.plain_anchors || has_plain_anchors(text->raw());
  }
  return told;
}

Settings read_settings(const config::Config& config, const io::Checkpoint& checkpoint,
                       std::int64_t classes) {
  const Told told = told_by(checkpoint);
  Settings settings;
  settings.detect = detect_settings(config);
  if (settings.detect.nms_method == SuppressionMethod::probiou) {
    throw CheckpointError(
        "detect.nms.method: probiou is YOLO-OBB's; this detector wants exact or sampled");
  }
  if (!config.is("input.size", "auto")) settings.side = config.integer("input.size");
  settings.classes = class_names(config, told.classes, classes);
  require_floors(settings.detect, classes);

  if (config.is("model.line", "auto")) {
    settings.line = told.line.value_or(Line::v0);
    settings.line_assumed = !told.line;
  } else {
    // Running a file by the other line's rules is allowed: the goldens do it, and both projects
    // document it for files that were converted.
    settings.line = config.text("model.line") == "1.x" ? Line::v1 : Line::v0;
  }
  settings.anchors = told.plain_anchors ? Line::v0 : settings.line;
  if (config.is("model.angle_version", "auto")) {
    settings.angle = told.angle.value_or(AngleConvention::le90);
    settings.angle_assumed = !told.angle;
  } else {
    settings.angle = *geometry::parse_angle_convention(config.text("model.angle_version"));
    if (told.angle && *told.angle != settings.angle) {
      refuse_difference("model.angle_version", geometry::angle_convention_name(settings.angle),
                        geometry::angle_convention_name(*told.angle));
    }
  }
  return settings;
}

}  // namespace grasppanda::models::mmrotate
