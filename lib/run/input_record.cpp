#include "lib/run/input_record.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

constexpr std::array<InputStatus, 3> kStatuses = {InputStatus::done, InputStatus::empty,
                                                  InputStatus::failed};

// A microsecond is below what the clock means; longer digits only make the file longer.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

ordered_json cloud_json(const CloudRecord& cloud) {
  if (cloud.points == 0) {
    return {{"points", 0},
            {"min", nullptr},
            {"max", nullptr},
            {"mean", nullptr},
            {"median_depth", nullptr}};
  }
  return {{"points", cloud.points},
          {"min", cloud.min},
          {"max", cloud.max},
          {"mean", cloud.mean},
          {"median_depth", cloud.median_depth}};
}

CloudRecord cloud_from_json(const ordered_json& json) {
  CloudRecord cloud;
  cloud.points = json.at("points").get<std::int64_t>();
  if (cloud.points == 0) return cloud;
  cloud.min = json.at("min").get<geometry::Vec3>();
  cloud.max = json.at("max").get<geometry::Vec3>();
  cloud.mean = json.at("mean").get<geometry::Vec3>();
  cloud.median_depth = json.at("median_depth").get<double>();
  return cloud;
}

ordered_json stamps_json(const std::vector<FileStamp>& stamps) {
  ordered_json list = ordered_json::array();
  for (const FileStamp& stamp : stamps) list.push_back(to_json(stamp));
  return list;
}

std::vector<FileStamp> stamps_from_json(const ordered_json& json) {
  std::vector<FileStamp> stamps;
  for (const ordered_json& entry : json) stamps.push_back(stamp_from_json(entry));
  return stamps;
}

}  // namespace

std::string_view status_name(InputStatus status) {
  switch (status) {
    case InputStatus::done:
      return "done";
    case InputStatus::empty:
      return "empty";
    case InputStatus::failed:
      break;
  }
  return "failed";
}

ordered_json to_json(const InputRecord& record) {
  ordered_json json = {{"name", record.name},
                       {"source", record.source},
                       {"status", status_name(record.status)},
                       {"warnings", record.warnings}};
  json["image"] = nullptr;
  if (record.image) {
    json["image"] = {{"width", record.image->width}, {"height", record.image->height}};
  }
  json["intrinsics"] = nullptr;
  if (record.intrinsics) {
    json["intrinsics"] = {{"fx", record.intrinsics->fx},
                          {"fy", record.intrinsics->fy},
                          {"cx", record.intrinsics->cx},
                          {"cy", record.intrinsics->cy}};
  }
  json["cloud"] = cloud_json(record.cloud);
  json["counts"] = ordered_json::object();
  for (const auto& [name, count] : record.counts) json["counts"][name] = count;
  if (!record.figures.empty()) {
    json["figures"] = ordered_json::object();
    for (const auto& [name, numbers] : record.figures) json["figures"][name] = numbers;
  }
  if (!record.tiles.empty()) {
    json["tiles"] = ordered_json::array();
    for (const TileRecord& tile : record.tiles) {
      ordered_json counts = ordered_json::object();
      for (const auto& [name, count] : tile.counts) counts[name] = count;
      json["tiles"].push_back({{"window", tile.window}, {"counts", std::move(counts)}});
    }
  }
  json["seconds"] = {{"read", rounded(record.seconds.read)},
                     {"prepare", rounded(record.seconds.prepare)},
                     {"network", rounded(record.seconds.network)},
                     {"postprocess", rounded(record.seconds.postprocess)},
                     {"write", rounded(record.seconds.write)}};
  json["overlapped_seconds"] = rounded(record.seconds.overlapped);
  json["predictions"] = nullptr;
  if (!record.predictions.empty()) json["predictions"] = record.predictions;
  if (record.status == InputStatus::failed) {
    json["error"] = record.error;
    json["kind"] = record.kind;
  }
  json["read"] = stamps_json(record.read);
  json["written"] = stamps_json(record.written);
  return json;
}

InputRecord record_from_json(const ordered_json& json) {
  InputRecord record;
  record.name = json.at("name").get<std::string>();
  record.source = json.at("source").get<std::string>();
  const std::string status = json.at("status").get<std::string>();
  record.status = InputStatus::failed;  // what is not known to be complete is done again
  for (InputStatus known : kStatuses) {
    if (status == status_name(known)) record.status = known;
  }
  record.warnings = json.at("warnings").get<std::vector<std::string>>();
  if (const ordered_json& image = json.at("image"); !image.is_null()) {
    record.image = {image.at("width").get<std::int64_t>(), image.at("height").get<std::int64_t>()};
  }
  if (const ordered_json& k = json.at("intrinsics"); !k.is_null()) {
    record.intrinsics = {k.at("fx").get<double>(), k.at("fy").get<double>(),
                         k.at("cx").get<double>(), k.at("cy").get<double>()};
  }
  record.cloud = cloud_from_json(json.at("cloud"));
  for (const auto& [name, count] : json.at("counts").items()) {
    record.counts.emplace_back(name, count.get<std::int64_t>());
  }
  if (const auto figures = json.find("figures"); figures != json.end()) {
    for (const auto& [name, numbers] : figures->items()) {
      record.figures.emplace_back(name, numbers.get<std::vector<std::int64_t>>());
    }
  }
  if (const auto tiles = json.find("tiles"); tiles != json.end()) {
    for (const ordered_json& entry : *tiles) {
      TileRecord tile{.window = entry.at("window").get<std::array<std::int64_t, 4>>()};
      for (const auto& [name, count] : entry.at("counts").items()) {
        tile.counts.emplace_back(name, count.get<std::int64_t>());
      }
      record.tiles.push_back(std::move(tile));
    }
  }
  const ordered_json& seconds = json.at("seconds");
  record.seconds = {.read = seconds.at("read").get<double>(),
                    .prepare = seconds.at("prepare").get<double>(),
                    .network = seconds.at("network").get<double>(),
                    .postprocess = seconds.at("postprocess").get<double>(),
                    .write = seconds.at("write").get<double>(),
                    .overlapped = json.at("overlapped_seconds").get<double>()};
  if (const ordered_json& file = json.at("predictions"); !file.is_null()) {
    record.predictions = file.get<std::string>();
  }
  if (record.status == InputStatus::failed) {
    record.error = json.value("error", std::string());
    record.kind = json.value("kind", std::string());
  }
  record.read = stamps_from_json(json.at("read"));
  record.written = stamps_from_json(json.at("written"));
  return record;
}

std::string failure_line(const InputRecord& record) {
  return dump_line({{"name", record.name},
                    {"input", record.source},
                    {"error", record.error},
                    {"kind", record.kind}});
}

std::string dump_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace grasppanda::run
