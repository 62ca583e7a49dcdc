// The parts of YOLO-OBB that need no network: letterbox, resizing, probiou, suppression, names.
#include <map>
#include <nlohmann/json.hpp>

#include "lib/io/json_file.h"
#include "models/checkpoint_error.h"
#include "models/yolo_obb/letterbox.h"
#include "models/yolo_obb/probiou_nms.h"
#include "tests/catch.h"
#include "tests/models/yolo_obb_goldens.h"

namespace grasppanda::models::yolo_obb {
namespace {

using nlohmann::json;
using tests::YoloGolden;

std::vector<Candidate> boxes_of(const at::Tensor& rows) {
  std::vector<Candidate> boxes;
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const auto* r = rows.const_data_ptr<float>() + 5 * i;
    boxes.push_back({0, r[0], r[1], r[2], r[3], r[4], 1, 0});
  }
  return boxes;
}

TEST_CASE("YOLO-OBB letterbox: sizes, borders and the way back of all golden cases") {
  GP_NEED_DATA(file, "goldens/yolo_obb/letterbox.json");
  const json cases = io::read_json(file);
  REQUIRE(cases.size() == 45);
  for (const json& c : cases) {
    CAPTURE(c.dump());
    const Letterbox box = letterbox(c["image"][0], c["image"][1], c["imgsz"]);
    CHECK(json({box.width, box.height}) == c["resized"]);
    CHECK(json({box.left, box.top, box.right, box.bottom}) ==
          json({c["left"], c["top"], c["right"], c["bottom"]}));
    CHECK(json({box.input_width(), box.input_height()}) == c["input"]);
    const BackToPicture back(box);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto in = c["box_in"][i].get<std::vector<float>>();
      const auto out = c["box_out"][i].get<std::vector<double>>();
      CHECK(back.x(in[0]) == Approx(out[0]).epsilon(1e-5).margin(1e-4));
      CHECK(back.y(in[1]) == Approx(out[1]).epsilon(1e-5).margin(1e-4));
      CHECK(back.w(in[2]) == Approx(out[2]).epsilon(1e-5).margin(1e-4));
      CHECK(back.h(in[3]) == Approx(out[3]).epsilon(1e-5).margin(1e-4));
    }
  }
}

TEST_CASE("YOLO-OBB resizing: byte for byte") {
  GP_NEED_DATA(file, "goldens/yolo_obb/units.npz");
  const YoloGolden golden(file);
  const at::Tensor image = golden("resize.image");
  for (const auto& [width, height] :
       {std::pair{64, 45}, {106, 74}, {27, 18}, {53, 20}, {128, 89}, {200, 140}}) {
    CAPTURE(width, height);
    const at::Tensor want =
        golden("resize." + std::to_string(width) + "x" + std::to_string(height));
    CHECK(resize_bilinear(image, width, height).equal(want));
  }
}

TEST_CASE("YOLO-OBB resizing and letterbox: the smallest pictures") {
  const at::Tensor pixel = at::full({1, 1, 3}, 200, at::kByte);
  CHECK(resize_bilinear(pixel, 32, 32).eq(200).all().item<bool>());
  const at::Tensor strip = at::full({7, 240, 3}, 9, at::kByte);
  const Letterbox box = letterbox(240, 7, 1024);
  const at::Tensor boxed = letterboxed(strip, box);
  CHECK(boxed.size(0) == 32);
  CHECK(boxed.size(1) == 1024);
  CHECK(boxed[0][0][0].item<int>() == 114);
  CHECK(boxed[16][500][2].item<int>() == 9);
}

TEST_CASE("probiou: the golden pairs, and what it must not do") {
  GP_NEED_DATA(file, "goldens/yolo_obb/units.npz");
  const YoloGolden golden(file);
  const auto a = boxes_of(golden("probiou.a")), b = boxes_of(golden("probiou.b"));
  const at::Tensor want = golden("probiou.value");
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double expected =
          want[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(j)].item<double>();
      CHECK(std::abs(probiou(a[i], b[j]) - expected) <= 1e-4);
    }
  }
  const Candidate box{0, 50, 40, 30, 10, 0.4F, 1, 0};
  CHECK(probiou(box, box) == Approx(0.9995).margin(3e-4));
  Candidate swapped = box;
  std::swap(swapped.w, swapped.h);
  swapped.angle += 1.5707963F;
  CHECK(probiou(box, swapped) == Approx(0.9995).margin(3e-4));
  const Candidate nothing{0, 50, 40, 0, 0, 0, 1, 0};
  CHECK(std::isfinite(probiou(nothing, nothing)));
  CHECK(std::isfinite(probiou(nothing, box)));
}

TEST_CASE("suppression by probiou: the golden sets, anchors and order") {
  GP_NEED_DATA(file, "goldens/yolo_obb/units.npz");
  const YoloGolden golden(file);
  for (const std::string set : {"nms0", "nms1", "nms2", "nms3"}) {
    const at::Tensor params = golden(set + ".params");
    const auto param = [&](std::int64_t i) { return params[i].item<double>(); };
    for (const bool multi : {false, true}) {
      CAPTURE(set, multi);
      const auto candidates = select_candidates(
          golden(set + ".decoded"),
          {.score_threshold = static_cast<float>(param(1)), .multi_label = multi});
      const auto kept =
          suppress_by_probiou(candidates, {.iou = static_cast<float>(param(2)),
                                           .class_agnostic = param(3) != 0,
                                           .max_detections = static_cast<std::int64_t>(param(4))});
      const std::string name = set + (multi ? ".multi" : ".single");
      const at::Tensor anchors = golden(name + ".anchor"), rows = golden(name + ".rows");
      REQUIRE(static_cast<std::int64_t>(kept.size()) == anchors.size(0));
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const Candidate& c = candidates[kept[i]];
        const auto at = static_cast<std::int64_t>(i);
        CHECK(c.anchor == anchors[at].item<int>());
        CHECK(c.score == rows[at][4].item<float>());
        CHECK(static_cast<float>(c.class_index) == rows[at][5].item<float>());
        CHECK(c.angle == rows[at][6].item<float>());
      }
    }
  }
}

/// Every pair, nothing skipped: the rule itself.
std::vector<std::size_t> suppress_plainly(const std::vector<Candidate>& candidates, float iou) {
  std::vector<std::size_t> kept;
  const auto order = by_falling_score(candidates);
  for (std::size_t j = 0; j < order.size(); ++j) {
    bool removed = false;
    for (std::size_t i = 0; i < j && !removed; ++i) {
      const Candidate &better = candidates[order[i]], &own = candidates[order[j]];
      removed = better.class_index == own.class_index && probiou(better, own) > iou;
    }
    if (!removed) kept.push_back(order[j]);
  }
  return kept;
}

TEST_CASE("suppression by probiou: skipping far pairs changes nothing") {
  at::manual_seed(5);
  for (const float iou : {0.05F, 0.3F, 0.7F, 0.95F}) {
    const at::Tensor r = at::rand({700, 7});
    std::vector<Candidate> candidates;
    for (std::int64_t i = 0; i < r.size(0); ++i) {
      const auto* v = r.const_data_ptr<float>() + 7 * i;
      candidates.push_back({static_cast<std::int32_t>(i), v[0] * 200, v[1] * 200,
                            v[2] < 0.1F ? v[2] : 1 + v[2] * 80, v[3] < 0.1F ? v[3] : 1 + v[3] * 30,
                            v[4] * 6 - 3, v[5], 0});
    }
    CAPTURE(iou);
    CHECK(suppress_by_probiou(candidates, {.iou = iou, .max_detections = 1000}) ==
          suppress_plainly(candidates, iou));
  }
}

TEST_CASE("suppression by probiou: a removed box still removes others; equal scores keep order") {
  // A chain: b is like a, c is like b but not like a. Greedy suppression would keep c.
  const auto box = [](float x, float score) { return Candidate{0, x, 0, 40, 40, 0, score, 0}; };
  const std::vector<Candidate> chain = {box(0, 0.9F), box(4, 0.8F), box(8, 0.7F)};
  REQUIRE(probiou(chain[0], chain[1]) > 0.85F);
  REQUIRE(probiou(chain[0], chain[2]) < 0.85F);
  CHECK(suppress_by_probiou(chain, {.iou = 0.85F}) == std::vector<std::size_t>{0});
  const std::vector<Candidate> equal = {box(0, 0.5F), box(300, 0.5F), box(600, 0.5F)};
  CHECK(suppress_by_probiou(equal, {}) == std::vector<std::size_t>{0, 1, 2});
  CHECK(suppress_by_probiou({}, {}).empty());
}

TEST_CASE("YOLO-OBB: the tensors of all fifteen published networks") {
  GP_NEED_DATA(file, "goldens/yolo_obb/keys.json");
  const json networks = io::read_json(file);
  REQUIRE(networks.size() == 15);
  for (const auto& [name, keys] : networks.items()) {
    CAPTURE(name);
    const Family family = family_of(name.substr(0, 6)).value();
    const Architecture net = architecture(family, name.back(), 15);
    std::map<std::string, std::vector<std::int64_t>> got;
    for (const ExpectedTensor& tensor : tensors_of(net)) got[tensor.key] = tensor.shape;
    CHECK(got.size() == keys.size());
    std::size_t different = 0;
    for (const auto& [key, shape] : keys.items()) {
      const auto found = got.find(key);
      different += found == got.end() || found->second != shape.get<std::vector<std::int64_t>>();
    }
    CHECK(different == 0);
  }
}

TEST_CASE("YOLO-OBB: family and scale are told by the tensors of every published network") {
  for (const Family family : {Family::yolov8, Family::yolo11, Family::yolo26}) {
    for (const char scale : kScales) {
      CAPTURE(family_name(family), scale);
      const Architecture net = architecture(family, scale, 7);
      std::vector<io::NamedArray> tensors;
      for (const ExpectedTensor& want : tensors_of(net)) {
        io::Array array;
        array.shape = want.shape;  // shapes are all that is looked at
        tensors.push_back({want.key, array});
      }
      const Architecture told = told_architecture(tensors);
      CHECK(told.family == family);
      CHECK(told.scale == std::string(1, scale));
      CHECK(told.classes == 7);
      CHECK((told.layers == net.layers));
      // With a tensor missing it is still the same network, and the tensor is missed.
      std::erase_if(tensors,
                    [](const io::NamedArray& t) { return t.key == "model.5.conv.weight"; });
      CHECK(told_architecture(tensors).scale == std::string(1, scale));
    }
  }
  CHECK_FALSE(told_family({}).has_value());
  CHECK_THROWS_AS(told_architecture({}), CheckpointError);
}

TEST_CASE("YOLO-OBB: a fused convolution is expected as the file has it") {
  std::vector<io::NamedArray> tensors;
  for (const char* key : {"model.0.conv.weight", "model.0.conv.bias"}) tensors.push_back({key, {}});
  const auto expected = tensors_of(architecture(Family::yolov8, 'n', 15), tensors);
  const auto has = [&](const std::string& key) {
    return std::ranges::any_of(expected, [&](const auto& t) { return t.key == key; });
  };
  CHECK(has("model.0.conv.bias"));
  CHECK_FALSE(has("model.0.bn.weight"));
  CHECK(has("model.1.bn.weight"));
}

}  // namespace
}  // namespace grasppanda::models::yolo_obb
