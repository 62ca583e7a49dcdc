// Every folder of data/troubles/frames gets the verdict that stands in its expected.json, as far as
// reading goes: "accept" and "empty" open and give the stated cloud, "reject" is refused.

#include <nlohmann/json.hpp>
#include <string>

#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "tests/catch.h"

using namespace grasppanda;
using namespace grasppanda::datasets;
using nlohmann::json;

namespace {

struct Reading {
  Frame frame;
  MaskedCloud cloud;
};

Reading read(const std::filesystem::path& folder) {
  OpenSettings settings;
  if (std::filesystem::exists(folder / "depth.npy")) settings.depth_scale = 1;  // in metres
  const auto inputs = list_inputs({folder.string()});
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0].name == folder.filename().string());
  Reading reading;
  reading.frame = open_input(inputs[0], settings);
  reading.cloud = masked_cloud(reading.frame, {});
  return reading;
}

void check_extent(const json& expected, const std::vector<double>& xyz, double tolerance) {
  const CloudExtent extent = cloud_extent(xyz);
  CHECK(extent.points == expected.at("points").get<std::int64_t>());
  if (!expected.contains("min")) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    CHECK(extent.min[axis] == Approx(expected["min"][axis].get<double>()).margin(tolerance));
    CHECK(extent.max[axis] == Approx(expected["max"][axis].get<double>()).margin(tolerance));
    CHECK(extent.mean[axis] == Approx(expected["mean"][axis].get<double>()).margin(tolerance));
  }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::string refusal(const std::filesystem::path& folder) {
  try {
    read(folder);
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("trouble frames get their verdicts") {
  GP_NEED_DATA(frames, "data/troubles/frames");
  const json expected = io::read_json(frames / "expected.json");
  const std::vector<double> base = read(frames / "base").cloud.xyz;
  REQUIRE(base.size() == 3 * 20103);
  std::size_t checked = 0;
  for (const auto& [name, row] : expected.items()) {
    DYNAMIC_SECTION(name << ": " << row["verdict"].get<std::string>()) {
      const auto verdict = row["verdict"].get<std::string>();
      const auto folder = frames / name;
      if (verdict == "reject") {
        const std::string message = refusal(folder);
        INFO(message);
        CHECK(message.find(folder.string()) == 0);
        CHECK(message.find('\n') == std::string::npos);
        return;
      }
      const Reading reading = read(folder);
      if (verdict == "warn_or_reject") {
        REQUIRE(reading.cloud.warnings.size() == 1);
        CHECK(reading.cloud.warnings[0].find("m, where no table can be") != std::string::npos);
        return;
      }
      const bool rounded = verdict.find("1e-4") != std::string::npos;
      check_extent(row["cloud"], reading.cloud.xyz, rounded ? 1e-4 : 2e-6);
      if (verdict.starts_with("same_as base")) {
        const bool float32_metres = name == "depth_metres_npy";
        const double limit = rounded ? 1e-4 : float32_metres ? 1e-7 : 0;
        CHECK(largest_difference(reading.cloud.xyz, base) <= limit);
      }
      const bool empty = reading.cloud.points() == 0;
      CHECK(empty == (verdict == "empty"));
      CHECK(reading.cloud.warnings.size() == (empty ? 1 : 0));
      CHECK(reading.frame.warnings.empty());
    }
    ++checked;
  }
  CHECK(checked == 27);
}

TEST_CASE("refused trouble frames are told why") {
  GP_NEED_DATA(frames, "data/troubles/frames");
  const std::pair<const char*, const char*> cases[] = {
      {"mask_wrong_size",
       "workspace_mask.png: mask of 128 x 96 pixels, but the depth has 256 x 192"},
      {"depth_8bit", "depth.png: is 8-bit grey PNG"},
      {"depth_truncated", "the file is cut off"},
      {"depth_half_size", "but the depth has"},
      {"meta_no_factor", "set input.depth.scale"},
      {"meta_k_transposed", "transposed"},
      {"meta_missing", "set input.intrinsics"},
  };
  for (const auto& [name, part] : cases) {
    const std::string message = refusal(frames / name);
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  }
}
