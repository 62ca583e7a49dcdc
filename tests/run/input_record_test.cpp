#include "lib/run/input_record.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace grasppanda::run;

namespace {

InputRecord full_record() {
  InputRecord record;
  record.name = "scene_0100/realsense/0000";
  record.source = "scenes/scene_0100/realsense";
  record.warnings = {"first", "second \"quoted\""};
  record.image = ImageSize{1280, 720};
  record.intrinsics = grasppanda::geometry::Intrinsics{927.17, 927.37, 651.32, 349.62};
  record.cloud = {.points = 20103,
                  .min = {-0.25, -0.125, 0.5},
                  .max = {0.25, 0.125, 0.75},
                  .mean = {0, 0.0625, 0.625},
                  .median_depth = 0.6};
  record.counts = {{"valid_pixels", 48644}, {"after_mask", 20103}, {"grasps", 86}};
  record.seconds = {.read = 0.25,
                    .prepare = 0.5,
                    .network = 1.5,
                    .postprocess = 0.125,
                    .write = 0.0625,
                    .overlapped = 0.125};
  record.predictions = "predictions/scene_0100/realsense/0000.npy";
  record.read = {{"/data/depth.png", 12, "aa"}};
  record.written = {{"predictions/scene_0100/realsense/0000.npy", 128, "bb"}};
  return record;
}

}  // namespace

TEST_CASE("a record reads back as it was written") {
  const InputRecord record = full_record();
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(dump_line(to_json(record)));
  CHECK(to_json(record_from_json(json)) == json);
  // Order of the way, not of the alphabet.
  CHECK(json["counts"].begin().key() == "valid_pixels");
}

TEST_CASE("a record has the fields of the contract") {
  const nlohmann::ordered_json json = to_json(full_record());
  CHECK(json["status"] == "done");
  CHECK(json["image"] == nlohmann::ordered_json({{"width", 1280}, {"height", 720}}));
  CHECK(json["intrinsics"]["cy"] == 349.62);
  CHECK(json["cloud"]["points"] == 20103);
  CHECK(json["cloud"]["median_depth"] == 0.6);
  CHECK(json["seconds"].size() == 5);
  CHECK(json["predictions"] == "predictions/scene_0100/realsense/0000.npy");
  CHECK_FALSE(json.contains("error"));
}

TEST_CASE("no points: the cloud is an object whose other fields are null") {
  const nlohmann::ordered_json cloud = to_json(InputRecord{})["cloud"];
  CHECK(cloud["points"] == 0);
  for (const char* field : {"min", "max", "mean", "median_depth"}) CHECK(cloud[field].is_null());
}

TEST_CASE("a stored cloud has no image and no intrinsics") {
  const nlohmann::ordered_json json = to_json(InputRecord{});
  CHECK(json["image"].is_null());
  CHECK(json["intrinsics"].is_null());
}

TEST_CASE("a failure is one line with the four fields") {
  InputRecord record = full_record();
  record.status = InputStatus::failed;
  record.error = "depth.png: cut off\nafter two thirds";
  record.kind = "format";
  const std::string line = failure_line(record);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(nlohmann::ordered_json::parse(line) == nlohmann::ordered_json({{"name", record.name},
                                                                       {"input", record.source},
                                                                       {"error", record.error},
                                                                       {"kind", "format"}}));
  CHECK(record_from_json(to_json(record)).kind == "format");
}

TEST_CASE("file names that are no UTF-8 do not end a run") {
  InputRecord record;
  record.name = "caf\xe9";
  CHECK_NOTHROW(nlohmann::json::parse(dump_line(to_json(record))));
}

TEST_CASE("an unknown status counts as not done") {
  nlohmann::ordered_json json = to_json(full_record());
  json["status"] = "halfway";
  CHECK(record_from_json(json).status == InputStatus::failed);
}
