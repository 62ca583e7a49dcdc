// Rules of mean average precision by hand.
#include <atomic>
#include <limits>
#include <random>

#include "lib/eval/detection_map.h"
#include "lib/eval/dota_boxes.h"
#include "lib/eval/errors.h"
#include "lib/eval/precision_curve.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using eval::ClassBoxes;
using eval::MapConvention;

geometry::Quad square(double x, double side = 10) {
  return {{{x, 0}, {x + side, 0}, {x + side, side}, {x, side}}};
}

eval::MapResult evaluate(const ClassBoxes& boxes, MapConvention convention, double iou = 0.5) {
  const std::vector<ClassBoxes> classes = {boxes};
  return eval::mean_average_precision(classes, {.convention = convention, .thresholds = {iou}})[0];
}

}  // namespace

TEST_CASE("average precision of four detections, by hand") {
  // Two objects; right, wrong, right, wrong: precision 1, 1/2, 2/3, 1/2.
  ClassBoxes boxes{"ship", {{square(0), 0, false}, {square(100), 0, false}}, {}};
  boxes.detections = {
      {square(0), 0, 0.9}, {square(50), 0, 0.8}, {square(100), 0, 0.7}, {square(200), 0, 0.6}};
  const eval::MapResult result = evaluate(boxes, MapConvention::dota);
  const eval::ClassPrecision& ship = result.classes[0];
  CHECK(ship.tp == 2);
  CHECK(ship.fp == 2);
  CHECK(*ship.ap_area == Approx(0.5 * 1 + 0.5 * 2 / 3));
  CHECK(*ship.ap_voc07 == Approx((6 * 1 + 5 * 2.0 / 3) / 11));
  CHECK(*result.map_area == *ship.ap_area);
}

TEST_CASE("a second detection: of the next object, or wrong") {
  // Both overlap the first object best; the second could also have the other one.
  ClassBoxes boxes{"ship", {{square(0), 0, false}, {square(4), 0, false}}, {}};
  boxes.detections = {{square(0), 0, 0.9}, {square(1), 0, 0.8}};
  CHECK(evaluate(boxes, MapConvention::dota, 0.3).classes[0].tp == 1);
  CHECK(evaluate(boxes, MapConvention::devkit, 0.3).classes[0].fp == 1);
  CHECK(evaluate(boxes, MapConvention::mmrotate, 0.3).classes[0].tp == 1);
  CHECK(evaluate(boxes, MapConvention::oriented_det, 0.3).classes[0].tp == 2);
}

TEST_CASE("the threshold itself, and difficult objects") {
  // Half the square is covered: 50 / 100.
  ClassBoxes boxes{"ship", {{square(0), 0, false}}, {}};
  boxes.detections = {{{{{0, 0}, {5, 0}, {5, 10}, {0, 10}}}, 0, 0.9}};
  CHECK(evaluate(boxes, MapConvention::dota).classes[0].tp == 0);
  CHECK(evaluate(boxes, MapConvention::oriented_det).classes[0].tp == 1);
  CHECK(evaluate(boxes, MapConvention::mmrotate).classes[0].tp == 1);

  boxes.truth[0].difficult = true;
  boxes.detections = {{square(0), 0, 0.9}, {square(0), 0, 0.8}};
  const eval::MapResult dota = evaluate(boxes, MapConvention::dota);
  CHECK(dota.classes[0].tp + dota.classes[0].fp == 0);
  CHECK(dota.classes[0].detections == 2);
  CHECK_FALSE(dota.classes[0].ap_area.has_value());
  CHECK_FALSE(dota.map_area.has_value());
  CHECK(*evaluate(boxes, MapConvention::oriented_det).map_area == 0);
  CHECK(*evaluate(boxes, MapConvention::devkit).classes[0].ap_voc07 == 0);
}

TEST_CASE("equal scores are judged in the order of the input") {
  ClassBoxes boxes{"ship", {{square(0), 0, false}}, {}};
  boxes.detections = {{square(0), 0, 0.5}, {square(50), 0, 0.5}};
  CHECK(*evaluate(boxes, MapConvention::dota).map_area == Approx(1));
  std::swap(boxes.detections[0], boxes.detections[1]);
  CHECK(*evaluate(boxes, MapConvention::dota).map_area == Approx(0.5));
}

TEST_CASE("recall of exactly three tenths") {
  const std::vector<eval::CurvePoint> curve = {{0.9, 0.3, 1}};
  CHECK(eval::eleven_point_ap(curve, eval::RecallSteps::decimal) == Approx(4.0 / 11));
  CHECK(eval::eleven_point_ap(curve, eval::RecallSteps::multiples) == Approx(3.0 / 11));
  CHECK(eval::area_ap(curve) == Approx(0.3));
  CHECK(eval::area_ap({}) == 0);
}

TEST_CASE("truth as detections gives 1 under every convention") {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> place(0, 2000), side(5, 60), turn(-1.5, 1.5);
  ClassBoxes boxes{"ship", {}, {}};
  for (int i = 0; i < 300; ++i) {
    const geometry::Quad quad =
        geometry::corners({place(random), place(random), side(random), side(random), turn(random)});
    boxes.truth.push_back({quad, i % 7, false});
    boxes.detections.push_back({quad, i % 7, 0.001 * i});
  }
  for (const MapConvention convention : {MapConvention::dota, MapConvention::devkit,
                                         MapConvention::oriented_det, MapConvention::mmrotate}) {
    const eval::MapResult result = evaluate(boxes, convention, 0.95);
    CHECK(*result.map_voc07 == Approx(1));
    CHECK(*result.map_area == Approx(1));
    CHECK(result.classes[0].fp == 0);
  }
  const std::vector<ClassBoxes> classes = {boxes};
  CHECK_THROWS_AS(eval::mean_average_precision(classes, {.thresholds = {0}}),
                  eval::EvaluationError);
}

TEST_CASE("class names with blanks are those with hyphens") {
  const datasets::DotaTruth truth{{"P1"}, {{"P1", 0}}, {{{square(0), "large-vehicle", 0}}}};
  const std::vector<datasets::ClassDetections> found = {
      {"large vehicle", {{"P1", 0.9, square(0)}}}};
  for (const std::vector<std::string>& listed :
       {std::vector<std::string>{}, {"large vehicle"}, {"large-vehicle"}}) {
    const eval::DotaBoxes boxes = eval::dota_boxes(truth, found, MapConvention::dota, listed);
    CHECK(boxes.boxes_of_unlisted_classes == 0);
    REQUIRE(boxes.classes.size() == 1);
    CHECK(boxes.classes[0].name == "large-vehicle");
    CHECK(boxes.classes[0].truth.size() == 1);
    CHECK(boxes.classes[0].detections.size() == 1);
  }
}

TEST_CASE("overlaps from elsewhere: fitted boxes, image by image, in parts") {
  // 5002 detections of one image, one of another without objects, one that is no box.
  ClassBoxes boxes{
      "ship", {{square(0), 7, false}, {square(0, 0), 7, false}, {square(50), 7, false}}, {}};
  for (int i = 0; i < 5002; ++i) boxes.detections.push_back({square(1), 7, 0.5});
  boxes.detections[5001].corners = square(50, 20);
  boxes.detections.push_back({square(0), 3, 0.9});
  boxes.detections.push_back({square(3, 0), 7, 0.9});
  std::vector<std::size_t> rows;
  const std::vector<ClassBoxes> classes = {boxes};
  const eval::MapResult result = eval::mean_average_precision(
      classes, {.convention = MapConvention::dota,
                .overlaps = [&](std::span<const geometry::RotatedBox> detections,
                                std::span<const geometry::RotatedBox> objects) {
                  rows.push_back(detections.size());
                  CHECK(objects.size() == 2);
                  CHECK(objects[1].cx == 55);
                  std::vector<float> table;
                  for (const geometry::RotatedBox& box : detections) {
                    table.push_back(0.25F);
                    table.push_back(box.w == 20 ? 0.75F : 0);
                  }
                  return table;
                }})[0];
  CHECK(rows == std::vector<std::size_t>{5000, 2});
  CHECK(result.classes[0].tp == 1);
  CHECK(result.classes[0].fp == 5003);
  CHECK_THROWS_AS(eval::mean_average_precision(
                      classes, {.overlaps = [](auto, auto) { return std::vector<float>(3); }}),
                  eval::EvaluationError);
}

TEST_CASE("an evaluation of detections ends early when it is asked to") {
  // Two classes, three images, five hundred detections of each class.
  std::vector<ClassBoxes> classes = {{"ship", {}, {}}, {"plane", {}, {}}};
  for (ClassBoxes& boxes : classes) {
    for (int image = 0; image < 3; ++image) boxes.truth.push_back({square(0), image, false});
    for (int i = 0; i < 500; ++i) boxes.detections.push_back({square(0), i % 3, 1.0 / (1 + i)});
  }
  const eval::BoxOverlaps ones = [](auto detections, auto objects) {
    return std::vector<float>(detections.size() * objects.size(), 1.0F);
  };
  for (const eval::BoxOverlaps& overlaps : {eval::BoxOverlaps{}, ones}) {
    std::atomic<int> asked = 0, limit = std::numeric_limits<int>::max();
    const auto evaluate_all = [&](int threads) {
      asked = 0;
      return eval::mean_average_precision(classes, {.thresholds = {0.5, 0.75},
                                                    .threads = threads,
                                                    .overlaps = overlaps,
                                                    .stop = [&] { return ++asked > limit; }});
    };
    CHECK(evaluate_all(1).size() == 2);
    const int questions = asked;
    // Both thresholds of both classes, and within a class before that.
    CHECK(questions >= 2 * (2 + 3));
    for (limit = 0; limit < questions; ++limit) {
      CHECK_THROWS_AS(evaluate_all(1 + limit % 2), eval::Stopped);
    }
  }
}

TEST_CASE("the number of threads changes nothing") {
  std::mt19937 random(19);
  std::uniform_real_distribution<double> place(0, 300), score(0, 1);
  ClassBoxes boxes{"ship", {}, {}};
  for (int i = 0; i < 200; ++i) boxes.truth.push_back({square(place(random)), i % 3, i % 5 == 0});
  for (int i = 0; i < 4000; ++i) {
    boxes.detections.push_back({square(place(random)), i % 3, score(random)});
  }
  const std::vector<ClassBoxes> classes = {boxes};
  const auto one = eval::mean_average_precision(classes, {.threads = 1});
  const auto four = eval::mean_average_precision(classes, {.threads = 4});
  CHECK(*one[0].map_area == *four[0].map_area);
  CHECK(one[0].classes[0].tp == four[0].classes[0].tp);
}

}  // namespace grasppanda::tests
