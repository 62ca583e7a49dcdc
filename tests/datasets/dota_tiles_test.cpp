// Tiles and merged results, against the DOTA development kit's.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "lib/datasets/dota_merge.h"
#include "lib/datasets/dota_tiles.h"
#include "lib/geometry/quad_overlap.h"
#include "lib/io/format_error.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using datasets::DotaObject;
using datasets::DotaReading;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

DotaObject object(const geometry::Quad& corners) {
  return {corners, "ship", 0};
}

}  // namespace

TEST_CASE("tiles of the development kit: origins and labels") {
  GP_NEED_DATA(goldens, "goldens/oriented_map");
  const auto windows = nlohmann::json::parse(text_of(goldens / "windows.json"))["devkit_split"];
  const auto objects =
      datasets::scaled_objects(datasets::read_dota_labels(goldens / "split/BIG.txt"), 1.0);
  std::size_t compared = 0, moved = 0;
  for (const auto& [key, wanted] : windows.items()) {
    CAPTURE(key);
    const datasets::TileGrid grid{wanted["size"], wanted["overlap"]};
    const std::int64_t width = wanted["image_w_h"][0], height = wanted["image_w_h"][1];
    const auto origins = datasets::tile_origins(width, height, grid);
    REQUIRE(origins.size() == wanted["origins_x_y"].size());
    for (std::size_t i = 0; i < origins.size(); ++i) {
      CHECK(origins[i].x == wanted["origins_x_y"][i][0].get<std::int64_t>());
      CHECK(origins[i].y == wanted["origins_x_y"][i][1].get<std::int64_t>());
      const std::string name = datasets::tile_name("BIG", "1.0", origins[i]);
      CAPTURE(name);
      const auto golden =
          datasets::read_dota_labels(goldens / "split" / ("labels_" + key) / (name + ".txt"));
      const auto got = datasets::tile_objects(objects, width, height, origins[i], grid);
      REQUIRE(got.size() == golden.size());
      for (std::size_t k = 0; k < got.size(); ++k) {
        ++compared;
        CAPTURE(k);
        CHECK(got[k].class_name == golden[k].class_name);
        CHECK(got[k].difficult == golden[k].difficult);
        for (std::size_t c = 0; c < 8; ++c) {
          const double off =
              std::abs(got[k].corners[c / 2][c % 2] - golden[k].corners[c / 2][c % 2]);
          CHECK(off <= 1);
          if (off > 0) ++moved;
        }
      }
    }
  }
  CHECK(compared > 50);
  CHECK(moved * 100 < compared * 8);
}

TEST_CASE("objects at a tile's border, by hand") {
  const datasets::TileGrid grid{100, 20};
  const auto tile = [&](const geometry::Quad& q, datasets::TileOrigin origin) {
    return datasets::tile_objects({object(q)}, 1000, 1000, origin, grid);
  };
  // Inside: only moved.
  auto kept = tile({{{110, 120}, {150, 120}, {150, 140}, {110, 140}}}, {80, 80});
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].corners == geometry::Quad{{{30, 40}, {70, 40}, {70, 60}, {30, 60}}});
  CHECK(kept[0].difficult == 0);
  // Three quarters inside: cut, still counts; half inside: cut, difficult 2.
  kept = tile({{{25, 10}, {125, 10}, {125, 30}, {25, 30}}}, {0, 0});
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].difficult == 0);
  CHECK(kept[0].corners == geometry::Quad{{{25, 10}, {100, 10}, {100, 30}, {25, 30}}});
  kept = tile({{{50, 10}, {150, 10}, {150, 30}, {50, 30}}}, {0, 0});
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].difficult == 2);
  // Outside, or only touching: gone. Corners run either way.
  CHECK(tile({{{200, 10}, {250, 10}, {250, 30}, {200, 30}}}, {0, 0}).empty());
  CHECK(tile({{{100, 10}, {150, 10}, {150, 30}, {100, 30}}}, {0, 0}).empty());
  kept = tile({{{50, 30}, {150, 30}, {150, 10}, {50, 10}}}, {0, 0});
  REQUIRE(kept.size() == 1);
}

TEST_CASE("images smaller than a tile have one") {
  const auto origins = datasets::tile_origins(1, 700, {1024, 200});
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].x == 0);
  CHECK(origins[0].y == 0);
  CHECK_THROWS_AS(datasets::tile_origins(10, 10, {100, 100}), std::invalid_argument);
  CHECK(datasets::tile_origins(1339, 1339, {1024, 1023}).size() == 316 * 316);
  CHECK_THROWS_WITH(datasets::tile_origins(1340, 1339, {1024, 1023}),
                    Catch::Matchers::Contains("317 x 316 tiles"));
}

TEST_CASE("merged tile results are the development kit's, line by line") {
  GP_NEED_DATA(goldens, "goldens/oriented_map/merge");
  const auto rows = datasets::read_task1(goldens / "tiles/Task1_ship.txt");
  for (const char* iou : {"0.1", "0.3", "0.5"}) {
    CAPTURE(iou);
    const auto merged = datasets::merge_tiles(rows, std::stod(iou), "Task1_ship.txt");
    CHECK(datasets::result_text(merged) ==
          text_of(goldens / ("Task1_ship_nms" + std::string(iou) + ".txt")));
  }
}

TEST_CASE("names of tiles") {
  const auto merged = [](const std::string& name) {
    return datasets::merge_tiles(
        std::vector<datasets::DotaDetection>{{name, 0.5, {{{1, 2}, {3, 2}, {3, 4}, {1, 4}}}}}, 0.3,
        "file");
  };
  const auto rows = merged("P1__0.5__824___100");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].image == "P1");
  CHECK(rows[0].corners[0] == geometry::Vec2{1650, 204});
  for (const char* bad : {"P1", "P1__1.0", "P1__1.0__5__6", "P1__x__5___6", "P1__0__5___6", ""}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(merged(bad), io::FormatError);
  }
}

TEST_CASE("horizontal results count both border pixels") {
  const auto rows =
      datasets::parse_task2("P__1__0___0 0.9 0 0 9 9\nP__1__0___0 0.8 5 0 14 9\n", "t");
  REQUIRE(rows.size() == 2);  // 10 x 10 pixels each, 5 x 10 shared: 50 / 150
  CHECK(datasets::merge_tiles(rows, 0.34, "t").size() == 2);
  CHECK(datasets::merge_tiles(rows, 0.33, "t").size() == 1);
  CHECK_THROWS_AS(datasets::parse_task2("P 0.9 0 0 9\n", "t"), io::FormatError);
}

TEST_CASE("merging compares every pair of rows that can meet") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 300), side(0, 40), turn(0, 6.3);
  std::vector<datasets::DotaDetection> rows;
  for (int i = 0; i < 400; ++i) {
    // One in fifty is as wide as the picture; best first, so that the order is the file's.
    const double w = i % 50 == 7 ? 300 : side(random), h = side(random), a = turn(random);
    const double x = place(random), y = place(random);
    datasets::DotaDetection row{"P__1__0___0", 1 - i * 1e-3, {}};
    for (int k = 0; k < 4; ++k) {
      const double u = (k == 0 || k == 3 ? -w : w) / 2, v = (k < 2 ? -h : h) / 2;
      row.corners[static_cast<std::size_t>(k)] = {x + u * std::cos(a) - v * std::sin(a),
                                                  y + u * std::sin(a) + v * std::cos(a)};
    }
    rows.push_back(row);
  }
  for (const double iou : {0.0, 0.05, 0.3}) {
    std::vector<datasets::DotaDetection> kept;
    for (const datasets::DotaDetection& row : rows) {
      const bool dropped = std::ranges::any_of(kept, [&](const datasets::DotaDetection& better) {
        return overlap(geometry::PreparedQuad(better.corners),
                       geometry::PreparedQuad(row.corners)) > iou;
      });
      if (!dropped) kept.push_back({"P", row.score, row.corners});
    }
    CHECK(kept.size() < 390);
    CHECK(datasets::result_text(datasets::merge_tiles(rows, iou, "t")) ==
          datasets::result_text(kept));
  }
}

}  // namespace grasppanda::tests
