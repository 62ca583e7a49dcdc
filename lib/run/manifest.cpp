#include "lib/run/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

std::string stamp_text(const FileStamp& stamp) {
  return to_json(stamp).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string optional_text(const std::optional<FileStamp>& stamp) {
  return stamp ? stamp_text(*stamp) : "null";
}

std::string list_text(std::vector<FileStamp> stamps) {
  // A file that changed between two readings keeps both stamps: that is worth seeing.
  std::ranges::sort(stamps, {}, [](const FileStamp& s) { return std::tie(s.path, s.sha256); });
  const auto repeated = std::ranges::unique(
      stamps, {}, [](const FileStamp& s) { return std::tie(s.path, s.sha256); });
  stamps.erase(repeated.begin(), repeated.end());
  std::string text = "[";
  const char* separator = "\n  ";
  for (const FileStamp& stamp : stamps) {
    text += separator + stamp_text(stamp);
    separator = ",\n  ";
  }
  return text + "\n ]";
}

}  // namespace

void write_manifest(const RunDirectory& run, Manifest manifest) {
  run.write(
      "manifest.json",
      "{\n \"schema\": \"grasppanda.manifest/1\",\n \"config\": " + stamp_text(manifest.config) +
          ",\n \"config_source\": " + optional_text(manifest.config_source) +
          ",\n \"checkpoint\": " + optional_text(manifest.checkpoint) +
          ",\n \"inputs\": " + list_text(std::move(manifest.inputs)) +
          ",\n \"outputs\": " + list_text(std::move(manifest.outputs)) + "\n}\n");
}

}  // namespace grasppanda::run
