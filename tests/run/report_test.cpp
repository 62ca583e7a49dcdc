// report.html of a made run, taken apart again.
#include "lib/run/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "lib/io/base64.h"
#include "lib/io/format_error.h"
#include "lib/io/ply.h"
#include "lib/io/png.h"
#include "lib/run/environment.h"
#include "lib/run/report_scene.h"
#include "lib/run/report_section.h"
#include "lib/run/summary.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::run {
namespace {

using Catch::Matchers::Contains;

std::string text_of_base64(const std::string& text) {
  const auto digit = [](char c) {
    return static_cast<int>(
        std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c));
  };
  std::string bytes;
  for (std::size_t i = 0; i + 3 < text.size(); i += 4) {
    const int b = digit(text[i]) << 18 | digit(text[i + 1]) << 12 |
                  (text[i + 2] == '=' ? 0 : digit(text[i + 2]) << 6) |
                  (text[i + 3] == '=' ? 0 : digit(text[i + 3]));
    bytes += static_cast<char>(b >> 16);
    if (text[i + 2] != '=') bytes += static_cast<char>(b >> 8);
    if (text[i + 3] != '=') bytes += static_cast<char>(b);
  }
  return bytes;
}

std::string encoded(const std::string& text) {
  return io::base64(std::as_bytes(std::span(text)));
}

geometry::Grasp made_grasp(float score) {
  geometry::Grasp grasp;
  grasp.score = score;
  grasp.width = 0.05F;
  grasp.depth = 0.02F;
  grasp.translation = {0, 0, 0.5F};
  return grasp;
}

/// 900 points on a table half a metre away.
std::vector<double> made_cloud() {
  std::vector<double> xyz;
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) xyz.insert(xyz.end(), {0.01 * i - 0.15, 0.01 * j - 0.15, 0.6});
  }
  return xyz;
}

/// A run of three inputs: grasps, a failure, and one with an evil name and no result.
class MadeRun {
 public:
  MadeRun() : directory(RunDirectory::make(scratch_.path() / "run")) {
    const std::vector<geometry::Grasp> grasps = {made_grasp(0.9F), made_grasp(0.4F)};
    const std::vector<double> cloud = made_cloud();
    const GraspResult result{.name = "a", .grasps = grasps, .cloud_xyz = cloud};
    for (const char* format : {"json", "png", "ply"}) {
      const WriterEntry* writer = find_writer(format);
      writer->write(result, directory.place(writer->file("a")));
    }
    Summary summary(directory, {"infer", "made", "2026-01-02T03:04:05+00:00", {"old weights"}}, 3);
    InputRecord done{.name = "a", .source = "in/a", .warnings = {"far & away"}};
    done.counts = {{"seeds", 7}};
    summary.add(0, done);
    summary.add(1, {.name = "b",
                    .source = "in/b",
                    .status = InputStatus::failed,
                    .error = "in/b: broken",
                    .kind = "format"});
    summary.add(2, {.name = "<script>alert(1)</script>", .source = "in/\"c'&"});
    summary.write(RunStatus::running);
    directory.write("env.json",
                    R"({"command_line": ["grasppanda", "infer"], "seed": 3, "threads": 1,
 "device": "cpu", "checkpoint": null, "wall_seconds": null, "peak_memory_bytes": null})");
  }

 private:
  tests::ScratchFolder scratch_;

 public:
  RunDirectory directory;
  std::string page(const ReportOptions& options = {}) const {
    write_report(directory.path(), directory.path(), options);
    return tests::read_bytes(directory.path() / "report.html");
  }
};

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  REQUIRE(at != text.npos);
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

}  // namespace

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(encoded("") == "");
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foobar") == "Zm9vYmFy");
  std::string large((std::size_t{3} << 20) + 100, '\0');  // more than one piece
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 + i / 256);
  CHECK(text_of_base64(encoded(large)) == large);
}

TEST_CASE("the report shows every input and needs nothing besides itself") {
  const MadeRun run;
  const std::string page = run.page();
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  for (const char* part : {"made: 3 inputs", "old weights", "far &amp; away", "in/b: broken",
                           "<td>seeds</td><td class=\"number\">7</td>", "0.900", "seed 3"}) {
    CAPTURE(part);
    CHECK_THAT(page, Contains(part));
  }
  // Nothing is fetched, and no name is more than text.
  CHECK(page.find("src=\"http") == page.npos);
  CHECK(page.find("href=\"http") == page.npos);
  CHECK(page.find("<script>alert(1)") == page.npos);
  CHECK_THAT(page, Contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK_THAT(page, Contains("in/&quot;c&#39;&amp;"));
  const std::string picture = between(page, "src=\"data:image/png;base64,", "\"");
  CHECK(text_of_base64(picture) == tests::read_bytes(run.directory.path() / "pictures/a.png"));
  const auto scene = nlohmann::json::parse(
      between(page, "<script type=\"application/json\" id=\"scene-input-0\">", "</script>"));
  CHECK(text_of_base64(scene["points"]).size() == 900 * 6);
  CHECK(text_of_base64(scene["colors"]).size() == 900 * 3);
  CHECK(text_of_base64(scene["triangles"]).size() == 2 * 48 * 9 * 4);
  CHECK(text_of_base64(scene["triangle_colors"]).size() == 2 * 48 * 3);
}

TEST_CASE("the report links what is too much to hold and says what it leaves out") {
  const MadeRun run;
  const std::string page = run.page({.inputs = 2, .embedded_bytes = 0});
  CHECK_THAT(page, Contains("src=\"pictures/a.png\""));
  CHECK_THAT(page, Contains("href=\"ply/a.ply\""));
  CHECK_THAT(page, Contains("The first 2 of 3 inputs are shown"));
  CHECK(page.find("application/json") == page.npos);
  CHECK(page.find("id=\"input-2\"") == page.npos);
}

TEST_CASE("a file of another making is named") {
  const MadeRun run;
  run.directory.write("predictions/a.json", R"({"grasps": [{"score": "high"}]})");
  CHECK_THROWS_WITH(run.page(), Contains("predictions/a.json"));
  run.directory.write("predictions/a.json", "{");
  CHECK_THROWS_AS(run.page(), io::FormatError);
}

TEST_CASE("points of a scene are where they were, to a part of a millimetre") {
  const tests::ScratchFolder scratch;
  std::vector<float> xyz;
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 100'000; ++i) {
    const auto t = static_cast<float>(i);
    xyz.insert(xyz.end(), {std::sin(t), 2 * std::cos(t), 1 + 1e-5F * t});
    rgb.insert(rgb.end(), {static_cast<std::uint8_t>(i), 2, 3});
  }
  io::write_ply(scratch.path() / "a.ply", {.xyz = xyz, .rgb = rgb, .faces = {}, .edges = {}});
  const auto scene = nlohmann::json::parse(
      report_scene(scratch.path() / "a.ply", {}, 50, table_view({0, 0, 2})).json);
  const std::string points = text_of_base64(scene["points"]);
  const std::string colors = text_of_base64(scene["colors"]);
  REQUIRE(points.size() == 60'000 * 6);
  REQUIRE(colors.size() == 60'000 * 3);
  double worst = 0;
  int wrong = 0;
  for (std::size_t k = 0; k < 60'000; ++k) {
    // Taken from five thirds of the places on, or the one behind.
    std::array<double, 3> point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int16_t whole = 0;
      std::memcpy(&whole, points.data() + 6 * k + 2 * axis, 2);
      point[axis] = scene["middle"][axis].get<double>() + whole * scene["step"].get<double>();
    }
    const std::size_t first = k * 100'000 / 60'000, last = (k + 1) * 100'000 / 60'000;
    const auto distance = [&](std::size_t i) {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        square += std::pow(point[axis] - static_cast<double>(xyz[3 * i + axis]), 2);
      }
      return std::sqrt(square);
    };
    std::size_t nearest = first;
    for (std::size_t i = first; i < last; ++i) {
      if (distance(i) < distance(nearest)) nearest = i;
    }
    worst = std::max(worst, distance(nearest));
    wrong += static_cast<std::uint8_t>(colors[3 * k]) != rgb[3 * nearest];
  }
  CHECK(wrong == 0);
  CHECK(worst < 1e-4);
  CHECK(scene["view"]["up"] == nlohmann::json({0.0, 0.0, 1.0}));
}

TEST_CASE("a cloud without points, and points far apart, have a scene") {
  const tests::ScratchFolder scratch;
  io::write_ply(scratch.path() / "none.ply", {.xyz = {}, .rgb = {}, .faces = {}, .edges = {}});
  CHECK_NOTHROW(report_scene(scratch.path() / "none.ply", {}, 50, SceneView{}));
  io::write_ply(scratch.path() / "far.ply",
                {.xyz = {-3e38F, 0, 0, 3e38F, 1, 1}, .rgb = {}, .faces = {}, .edges = {}});
  CHECK_NOTHROW(report_scene(scratch.path() / "far.ply", {}, 50, SceneView{}));
}

TEST_CASE("a table is seen from above, whichever way is up") {
  for (const geometry::Vec3& up : {geometry::Vec3{0, 0, 1}, geometry::Vec3{0, -3, 0},
                                   geometry::Vec3{2, 0, 0}, geometry::Vec3{1, 1, 1}}) {
    const SceneView view = table_view(up);
    double along = 0, length = 0, forward = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      along += view.forward[i] * view.up[i];
      length += view.up[i] * view.up[i];
      forward += view.forward[i] * view.forward[i];
    }
    CHECK(length == Approx(1));
    CHECK(along == Approx(-0.8));  // down
    CHECK(forward > 0.64 + 0.3);   // and not only down
  }
}

}  // namespace grasppanda::run
