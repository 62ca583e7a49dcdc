// Windows over large pictures, with a detector that finds the bright pixels.
#include "models/tiled_detection.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "lib/io/json_file.h"

#include "tests/catch.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::models {
namespace {

TilingSettings tiles(std::int64_t window, std::int64_t overlap) {
  return {.window = window, .overlap = overlap, .min_side = 1};
}

/// A box of 8 x 4 on every pixel whose red exceeds 200; green is the class.
class BrightPixels final : public Detector {
 public:
  std::vector<DetectionOutput> detect(std::span<const at::Tensor> pictures, const StageObserver&,
                                      const TileProgress&) override {
    std::vector<DetectionOutput> outputs;
    for (const at::Tensor& picture : pictures) {
      sizes.insert({picture.size(1), picture.size(0)});
      DetectionOutput output;
      const at::Tensor found = (picture.select(2, 0) > 200).nonzero();
      for (std::int64_t i = 0; i < found.size(0); ++i) {
        const auto y = found[i][0].item<std::int64_t>(), x = found[i][1].item<std::int64_t>();
        const at::Tensor pixel = picture[y][x];
        output.detections.push_back(
            {.box = {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, 8, 4, 0.3},
             .score = static_cast<float>(pixel[0].item<int>()) / 255,
             .class_index = pixel[1].item<std::int64_t>()});
      }
      output.accounting.counts = {{"above_threshold", found.size(0)}};
      outputs.push_back(std::move(output));
    }
    return outputs;
  }
  double scale(std::int64_t, std::int64_t) const override { return 1; }
  const DetectorInfo& info() const override { return info_; }

  std::set<std::pair<std::int64_t, std::int64_t>> sizes;

 private:
  DetectorInfo info_;
};

TiledOutput run(Detector& detector, const at::Tensor& picture, const TilingSettings& settings) {
  const auto* next = picture.const_data_ptr<std::uint8_t>();
  const std::int64_t width = picture.size(1);
  std::int64_t asked = 0;
  TiledOutput output = detect_tiled(
      detector, width, picture.size(0),
      [&](std::int64_t rows, std::uint8_t* to) {
        asked += rows;
        std::copy_n(next, rows * width * 3, to);
        next += rows * width * 3;
      },
      settings);
  CHECK(asked == picture.size(0));  // every row once
  return output;
}

TEST_CASE("tiles: windows cover the picture, the last ones moved back to the border") {
  using Windows = std::vector<Window>;
  const Windows four = {
      {0, 0, 1024, 1024}, {76, 0, 1024, 1024}, {0, 276, 1024, 1024}, {76, 276, 1024, 1024}};
  const Windows one = {{0, 0, 1024, 1024}};
  const Windows narrow = {{0, 0, 30, 1024}, {0, 824, 30, 1024}, {0, 976, 30, 1024}};
  // In brackets: LibTorch would print vectors of what cannot be printed.
  CHECK((tile_windows(1100, 1300, tiles(1024, 200)) == four));
  CHECK((tile_windows(1024, 1024, tiles(1024, 200)) == one));
  CHECK((tile_windows(30, 2000, tiles(1024, 200)) == narrow));
  for (const auto& [w, h, window, overlap] :
       {std::array<std::int64_t, 4>{5000, 3333, 640, 100}, {1, 1, 64, 0}, {129, 65, 64, 63}}) {
    std::int64_t right = 0, bottom = 0;
    for (const Window& at : tile_windows(w, h, tiles(window, overlap))) {
      CHECK(at[0] >= 0);
      CHECK(at[1] >= 0);
      CHECK(at[0] + at[2] <= w);
      CHECK(at[1] + at[3] <= h);
      right = std::max(right, at[0] + at[2]);
      bottom = std::max(bottom, at[1] + at[3]);
    }
    CHECK(right == w);
    CHECK(bottom == h);
  }
}

TEST_CASE("tiles: an overlap below 1 is a share of the window") {
  const auto overlap = [](const std::string& text) {
    const std::string tiling = "detect: {tiling: {window: 100, overlap: " + text + "}}\n";
    return tiling_settings(tests::detector_config("rotated_fcos", "mmrotate", tiling)).overlap;
  };
  CHECK(overlap("0") == 0);
  CHECK(overlap("0.25") == 25);
  CHECK(overlap("0.999") == 99);
  CHECK(overlap("1") == 1);
  CHECK(overlap("20") == 20);
  CHECK_THROWS_AS(overlap("20.5"), std::invalid_argument);
}

TEST_CASE("tiles: what lies in several windows comes out once, in pixels of the picture") {
  at::Tensor picture = at::zeros({150, 220, 3}, at::kByte);
  const auto mark = [&](std::int64_t x, std::int64_t y, int red, int class_index) {
    picture[y][x][0] = red;
    picture[y][x][1] = class_index;
  };
  mark(5, 7, 240, 0);
  mark(70, 60, 250, 1);    // in the overlap of four windows
  mark(72, 60, 230, 2);    // overlaps it, of another class
  mark(219, 149, 255, 0);  // the last pixel
  BrightPixels detector;
  const TiledOutput output = run(detector, picture, tiles(100, 40));
  REQUIRE(output.joined.detections.size() == 4);
  CHECK(output.joined.detections[0].box.cx == 219.5);
  CHECK(output.joined.detections[0].box.cy == 149.5);
  CHECK(output.joined.detections[1].box.cx == 70.5);
  CHECK(output.joined.detections[3].class_index == 2);
  CHECK(detector.sizes.size() == 1);  // the last ones are no smaller

  std::int64_t of_tiles = 0;
  for (const TileRecord& tile : output.tiles) of_tiles += tile.counts.at(0).second;
  const auto& counts = output.joined.accounting.counts;
  const std::vector<std::pair<std::string, std::int64_t>> want = {
      {"above_threshold", of_tiles}, {"tile_detections", of_tiles}, {"after_merge", 4}};
  CHECK((counts == want));

  TilingSettings together = tiles(100, 40);
  together.batch = 2;  // a row has three windows: two, then one
  const TiledOutput batched = run(detector, picture, together);
  CHECK(batched.tiles.size() == output.tiles.size());
  CHECK(batched.joined.detections.size() == 4);
  CHECK(batched.joined.detections[1].box.cx == 70.5);

  TilingSettings across = tiles(100, 40);
  across.class_agnostic = true;
  CHECK(run(detector, picture, across).joined.detections.size() == 3);
}

TEST_CASE("tiles: windows of MMRotate's rule are the goldens'") {
  GP_NEED_DATA(file, "goldens/mmrotate/postprocess.json");
  const nlohmann::json golden = io::read_json(file);
  std::size_t seen = 0;
  for (const auto& of : golden.at("windows")) {
    CAPTURE(of.at("width").dump(), of.at("height").dump(), of.at("ratios").dump());
    TilingSettings settings{.window = of.at("sizes")[0].get<std::int64_t>(), .filled = true};
    settings.overlap = settings.window - of.at("steps")[0].get<std::int64_t>();
    settings.ratios = of.at("ratios").get<std::vector<double>>();
    std::vector<std::array<std::int64_t, 4>> got;
    for (const Window& w : tile_windows(of.at("width").get<std::int64_t>(),
                                        of.at("height").get<std::int64_t>(), settings)) {
      got.push_back({w[0], w[1], w[0] + w[2], w[1] + w[3]});
    }
    auto want = of.at("windows").get<std::vector<std::array<std::int64_t, 4>>>();
    CHECK((got == want));
    ++seen;
  }
  CHECK(seen >= 14);
}

TEST_CASE("tiles: joined as MMRotate joins them") {
  GP_NEED_DATA(file, "goldens/mmrotate/postprocess.json");
  const nlohmann::json golden = io::read_json(file).at("merge");
  const auto& offsets = golden.at("offsets");
  TilingSettings settings{.merge_iou = golden.at("iou_thr").get<double>(), .filled = true};
  std::vector<Detection> all;
  for (std::size_t patch = 0; patch < offsets.size(); ++patch) {
    for (std::size_t label = 0; label < golden.at("inputs")[patch].size(); ++label) {
      for (const auto& row : golden.at("inputs")[patch][label]) {
        const auto r = row.get<std::array<double, 6>>();
        all.push_back({.box = {r[0] + offsets[patch][0].get<double>(),
                               r[1] + offsets[patch][1].get<double>(), r[2], r[3], r[4]},
                       .score = static_cast<float>(r[5]),
                       .class_index = static_cast<std::int64_t>(label)});
      }
    }
  }
  const std::vector<Detection> joined = join_tiles(all, settings);
  for (std::size_t label = 0; label < golden.at("outputs").size(); ++label) {
    std::vector<Detection> of_class;
    for (const Detection& d : joined) {
      if (d.class_index == static_cast<std::int64_t>(label)) of_class.push_back(d);
    }
    const auto& want = golden.at("outputs")[label];
    REQUIRE(of_class.size() == want.size());
    double off = 0;
    for (std::size_t i = 0; i < of_class.size(); ++i) {
      off = std::max({off, std::abs(of_class[i].box.cx - want[i][0].get<double>()),
                      std::abs(of_class[i].box.cy - want[i][1].get<double>()),
                      std::abs(of_class[i].score - want[i][5].get<double>())});
    }
    CHECK(off < 1e-3);
  }
}

TEST_CASE("tiles: several sizes, black beyond the picture, a margin that is ignored") {
  at::Tensor picture = at::zeros({150, 220, 3}, at::kByte);
  picture[149][219][0] = 255;
  picture[60][101][0] = 250;  // a pixel right of the first window of 100
  BrightPixels detector;
  TilingSettings settings = tiles(100, 0);
  settings.filled = true;
  settings.ratios = {0.5, 1};
  const TiledOutput output = run(detector, picture, settings);
  // 200: {0, 20} x {0}, the share inside is 0.75; 100: {0, 100, 120} x {0, 50}.
  REQUIRE(output.tiles.size() == 8);
  CHECK((output.tiles[1].window == Window{20, 0, 200, 200}));
  CHECK((output.tiles[2].window == Window{0, 0, 100, 100}));
  CHECK((output.tiles[7].window == Window{120, 50, 100, 100}));
  CHECK(detector.sizes.size() == 2);
  CHECK(output.joined.detections.size() == 2);

  TilingSettings careful = tiles(100, 20);  // x: 0, 80, 120
  careful.ignore_margin = 5;
  const TiledOutput left = run(detector, picture, careful);
  const auto& counts = left.joined.accounting.counts;
  // 101 lies inside of the second window; the last pixel at sides of the picture, which count.
  CHECK(left.joined.detections.size() == 2);
  CHECK(counts.at(2).first == "outside_margin");
  picture[60][83][0] = 240;  // at the left side of the second window, inside of the first
  const TiledOutput more = run(detector, picture, careful);
  CHECK(more.joined.detections.size() == 3);
  CHECK(more.joined.accounting.counts.at(1).second > more.joined.accounting.counts.at(2).second);
}

TEST_CASE("tiles: a picture smaller than a window is one window, an empty one gives nothing") {
  BrightPixels detector;
  const TiledOutput output = run(detector, at::zeros({1, 1, 3}, at::kByte), tiles(1024, 200));
  CHECK(output.tiles.size() == 1);
  CHECK(output.joined.detections.empty());
}

}  // namespace
}  // namespace grasppanda::models
