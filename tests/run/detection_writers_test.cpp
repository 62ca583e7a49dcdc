#include "lib/run/detection_writer.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/run/detection_text.h"
#include "lib/run/writer.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using nlohmann::ordered_json;
using run::DetectionEntry;
using run::DetectionResult;
using tests::read_bytes;
using tests::ScratchFolder;

namespace {

const std::vector<std::string> kClasses = {"plane", "large vehicle", "ship"};

std::vector<DetectionEntry> two_boxes() {
  return {{.box = run::as_written({100.25, 50.5, 40, 10, 0.3}), .score = 0.9F, .class_index = 1},
          {.box = run::as_written({20, 30, 8, 8, -std::numbers::pi / 2}),
           .score = 0.1F,
           .class_index = 0}};
}

DetectionResult result_of(const std::vector<DetectionEntry>& boxes, const std::string& name) {
  return {.name = name, .width = 200, .height = 100, .detections = boxes, .classes = kClasses};
}

/// x and y of the first corner, (-w/2, -h/2).
std::array<double, 2> first_corner(const geometry::RotatedBox& b) {
  return {b.cx - b.w / 2 * std::cos(b.angle) + b.h / 2 * std::sin(b.angle),
          b.cy - b.w / 2 * std::sin(b.angle) - b.h / 2 * std::cos(b.angle)};
}

}  // namespace

TEST_CASE("detections: rounding to float32 keeps a box le90") {
  const double quarter = std::numbers::pi / 2;
  for (const double angle : {-quarter, std::nextafter(quarter, 0.0), 0.3, -1.5707963}) {
    const geometry::RotatedBox box = run::as_written({0, 0, 2, 1, angle});
    CHECK(box.angle >= -quarter);
    CHECK(box.angle < quarter);
    CHECK(box.angle == Approx(angle).margin(2e-7));
  }
}

TEST_CASE("detections json: convention, units, corners; the numbers come back") {
  const ScratchFolder scratch;
  const auto boxes = two_boxes();
  run::write_detections_json(result_of(boxes, "P0001__1__0___0"), scratch.path() / "a.json");
  const std::string text = read_bytes(scratch.path() / "a.json");
  const ordered_json json = ordered_json::parse(text);
  CHECK(json["schema"] == "grasppanda.detections/1");
  CHECK(json["name"] == "P0001__1__0___0");
  CHECK(json["image"] == ordered_json({{"width", 200}, {"height", 100}}));
  CHECK(json["angle_convention"] == "le90");
  CHECK(json["fields"]["angle_rad"].get<std::string>().find("clockwise") != std::string::npos);
  REQUIRE(json["detections"].size() == 2);
  const ordered_json& first = json["detections"][0];
  CHECK(first["class"] == "large vehicle");
  CHECK(first["class_index"] == 1);
  CHECK(text.find("\"score\":0.9,") != std::string::npos);  // not 0.8999999761581421
  const auto corner = first_corner(boxes[0].box);
  CHECK(first["corners"][0].get<double>() == Approx(corner[0]).epsilon(1e-6));
  CHECK(first["corners"][1].get<double>() == Approx(corner[1]).epsilon(1e-6));

  const run::StoredDetections stored = run::read_detections(scratch.path() / "a.json");
  CHECK(stored.width == 200);
  REQUIRE(stored.detections.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(static_cast<float>(stored.detections[i].box.cx) == static_cast<float>(boxes[i].box.cx));
    CHECK(static_cast<float>(stored.detections[i].box.angle) ==
          static_cast<float>(boxes[i].box.angle));
    CHECK(stored.detections[i].score == boxes[i].score);
  }
}

TEST_CASE("detections json: none is an empty list; a file of another kind is refused") {
  const ScratchFolder scratch;
  run::write_detections_json(result_of({}, "a"), scratch.path() / "a.json");
  CHECK(ordered_json::parse(read_bytes(scratch.path() / "a.json"))["detections"].empty());
  CHECK(run::read_detections(scratch.path() / "a.json").detections.empty());
  CHECK_THROWS_AS(run::read_detections(scratch.file("b.json", "{\"grasps\": []}")),
                  io::FormatError);
}

TEST_CASE("geojson: pixels without a reference, the world with one") {
  const ScratchFolder scratch;
  const auto boxes = two_boxes();
  DetectionResult result = result_of(boxes, "a");
  run::write_geojson(result, scratch.path() / "a.geojson");
  ordered_json json = ordered_json::parse(read_bytes(scratch.path() / "a.geojson"));
  CHECK(json["type"] == "FeatureCollection");
  CHECK(json["coordinates"].get<std::string>().find("pixels") != std::string::npos);
  const ordered_json ring = json["features"][0]["geometry"]["coordinates"][0];
  REQUIRE(ring.size() == 5);
  CHECK(ring[0] == ring[4]);
  CHECK(ring[0][0].get<double>() == Approx(first_corner(boxes[0].box)[0]));
  CHECK(json["features"][0]["properties"]["class"] == "large vehicle");

  const io::GeoReference geo{.transform = {500000, 0.5, 0, 4000000, 0, -0.5}, .epsg = 32633};
  result.geo = &geo;
  run::write_geojson(result, scratch.path() / "b.geojson");
  json = ordered_json::parse(read_bytes(scratch.path() / "b.geojson"));
  CHECK(json["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::32633");
  const ordered_json world = json["features"][0]["geometry"]["coordinates"][0];
  const auto corner = first_corner(boxes[0].box);
  CHECK(world[0][0].get<double>() == Approx(500000 + 0.5 * corner[0]).epsilon(1e-12));
  CHECK(world[0][1].get<double>() == Approx(4000000 - 0.5 * corner[1]).epsilon(1e-12));
  // Counter-clockwise where y grows upwards.
  double area = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto x = [&](std::size_t k) { return world[k][0].get<double>() - 500000; };
    const auto y = [&](std::size_t k) { return world[k][1].get<double>() - 4000000; };
    area += x(i) * y(i + 1) - x(i + 1) * y(i);
  }
  CHECK(area / 2 == Approx(40 * 10 * 0.25));

  run::write_geojson(result_of({}, "none"), scratch.path() / "c.geojson");
  CHECK(ordered_json::parse(read_bytes(scratch.path() / "c.geojson"))["features"].empty());
}

TEST_CASE("yolo: class, shares of width and height, score") {
  const ScratchFolder scratch;
  const auto boxes = two_boxes();
  run::write_yolo_txt(result_of(boxes, "a"), scratch.path() / "a.txt");
  std::ifstream stream(scratch.path() / "a.txt");
  std::size_t index = 0;
  std::vector<double> numbers(8);
  double score = 0;
  stream >> index;
  for (double& number : numbers) stream >> number;
  stream >> score;
  CHECK(index == 1);
  const auto corner = first_corner(boxes[0].box);
  CHECK(numbers[0] == Approx(corner[0] / 200).margin(1e-6));
  CHECK(numbers[1] == Approx(corner[1] / 100).margin(1e-6));
  CHECK(score == Approx(0.9).margin(1e-5));
}

TEST_CASE("dota and coco: of all images of a run, in their order") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "predictions");
  const auto boxes = two_boxes();
  const std::vector<std::filesystem::path> files = {"predictions/a b.json", "predictions/c.json"};
  run::write_detections_json(result_of(boxes, "a b"), scratch.path() / files[0]);
  run::write_detections_json(result_of({}, "c"), scratch.path() / files[1]);

  const auto written = run::find_detection_set("dota")->write(scratch.path(), files, kClasses);
  REQUIRE(written.size() == 3);
  CHECK(written[1] == "predictions/detections/Task1_large-vehicle.txt");
  CHECK(read_bytes(scratch.path() / written[2]).empty());
  std::istringstream line(read_bytes(scratch.path() / written[1]));
  std::string image;
  double score = 0, x = 0, y = 0;
  line >> image >> score >> x >> y;
  CHECK(image == "a_b");
  CHECK(score == Approx(0.9).margin(1e-6));
  CHECK(x == Approx(first_corner(boxes[0].box)[0]).margin(1e-4));
  CHECK(y == Approx(first_corner(boxes[0].box)[1]).margin(1e-4));

  CHECK(run::find_detection_set("coco")->write(scratch.path(), files, kClasses).size() == 1);
  const ordered_json coco =
      ordered_json::parse(read_bytes(scratch.path() / "predictions/coco.json"));
  CHECK(coco["images"].size() == 2);
  CHECK(coco["categories"][1]["name"] == "large vehicle");
  REQUIRE(coco["annotations"].size() == 2);
  CHECK(coco["annotations"][0]["category_id"] == 2);
  CHECK(coco["annotations"][0]["image_id"] == 1);
  CHECK(coco["annotations"][0]["area"].get<double>() == Approx(400));
  CHECK(coco["annotations"][0]["bbox"][2].get<double>() ==
        Approx(40 * std::cos(0.3) + 10 * std::sin(0.3)).epsilon(1e-5));
  CHECK(run::find_detection_set("png") == nullptr);
}

TEST_CASE("png of detections: the image's own size, with and without a picture") {
  const ScratchFolder scratch;
  const auto boxes = two_boxes();
  io::Image ground;
  ground.width = 200, ground.height = 100, ground.channels = 3;
  ground.pixels.assign(ground.samples(), 90);
  DetectionResult result = result_of(boxes, "a");
  result.picture = &ground;
  run::write_detections_png(result, scratch.path() / "a.png");
  const io::Image drawn = io::read_image(scratch.path() / "a.png");
  CHECK(drawn.width == 200);
  CHECK(drawn.pixels != ground.pixels);
  run::write_detections_png(result_of(boxes, "b"), scratch.path() / "b.png");
  CHECK(io::read_image(scratch.path() / "b.png").height == 100);
}
