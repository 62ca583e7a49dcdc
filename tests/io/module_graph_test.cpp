// Pickled modules as inert graphs: the goldens of the YOLO detectors tell every tensor.
#include "lib/io/module_graph.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/io/checkpoint.h"
#include "lib/io/format_error.h"
#include "lib/io/pickle_reader.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/pickle_writer.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;

TEST_CASE("pickled modules: every tensor of the goldens") {
  GP_NEED_DATA(folder, "goldens/yolo_obb");
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "tensors.json"));
  for (const std::string name : {"tiny_yolov8", "tiny_yolo11_training", "tiny_yolo26"}) {
    INFO(name);
    const auto file = folder / (name + ".pt");
    const nlohmann::json& wanted = expected.at(name);
    CHECK(sha256_file_hex(file) == wanted.at("file_sha256").get<std::string>());
    const Checkpoint checkpoint = read_checkpoint(file);
    CHECK(checkpoint.container == (name == "tiny_yolo11_training" ? "ema" : "model"));
    const auto& tensors = wanted.at("tensors");
    REQUIRE(checkpoint.tensors.size() == tensors.size());
    std::vector<std::string> pieces;
    for (const NamedArray& tensor : checkpoint.tensors) {
      INFO(tensor.key);
      const auto& entry = tensors.at(tensor.key);
      std::string shape;  // "16x3x3x3"
      for (const std::int64_t extent : tensor.array.shape) {
        if (!shape.empty()) shape += "x";
        shape += std::to_string(extent);
      }
      CHECK(shape == entry[0].get<std::string>());
      CHECK(dtype_name(tensor.array.dtype) == entry[1].get<std::string>());
      CHECK(sha256_hex(tensor.array.bytes()).substr(0, 16) == entry[2].get<std::string>());
      std::string piece = tensor.key + '\0';
      piece.append(reinterpret_cast<const char*>(tensor.array.data.get()),
                   tensor.array.byte_size());
      pieces.push_back(std::move(piece));
    }
    std::ranges::sort(pieces);
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    CHECK(sha256_hex(std::as_bytes(std::span(all))) == wanted.at("digest").get<std::string>());
  }
}

TEST_CASE("pickled modules: leftovers of methods and settings stay names") {
  GP_NEED_DATA(folder, "goldens/yolo_obb");
  const Checkpoint checkpoint = read_checkpoint(folder / "tiny_yolov8.pt");
  CHECK(std::ranges::count(checkpoint.placeholders, "Detect.forward") == 1);
  CHECK(std::ranges::count(checkpoint.placeholders, "ultralytics.nn.modules.head.OBB") == 1);
  const nlohmann::json& model = checkpoint.other->at("model");
  CHECK(model.at("class") == "ultralytics.nn.tasks.OBBModel");
  CHECK(model.at("names").size() == 4);
  CHECK(model.at("args").at("imgsz") == 256);
  // One object under many parents stays one.
  const PickleValue* layers = checkpoint.source->root().find("model")->find("_modules");
  REQUIRE(layers != nullptr);
  std::vector<const PickleValue*> activations;
  for (const PickleValue& value : checkpoint.source->graph().values) {
    if (value.class_name() == "torch.nn.modules.activation.SiLU") activations.push_back(&value);
  }
  CHECK(activations.size() == 1);
}

namespace {

// A module object of class m.C whose children hold `child`.
PickleWriter& begin_module(PickleWriter& writer) {
  writer.global("m", "C").raw(")\x81}(").text("_parameters").raw("}").text("_buffers").raw("}");
  return writer.text("_modules").raw("}");
}

}  // namespace

TEST_CASE("pickled modules: those that hold themselves or others without end are refused") {
  // Its own child: MEMOIZE the object before its state is built.
  PickleWriter own;
  own.global("m", "C").raw(")\x81q\x01}(").text("_parameters").raw("}");
  own.text("_modules").raw("}").text("again").raw("h\x01su").raw("b");
  const std::string bytes = own.stop();
  const auto graph = read_pickle(as_bytes(bytes), "x");
  REQUIRE(is_module(*graph->root));
  CHECK_THROWS_WITH(module_tensors(*graph->root, "x"), Contains("nested without end"));

  // Thirty levels that hold the level below twice: 2^30 paths.
  PickleWriter doubling;
  begin_module(doubling).raw("ubq\x01");
  for (int level = 0; level < 30; ++level) {
    doubling.step('0');
    begin_module(doubling).raw("(").text("a").raw("h\x01").text("b").raw("h\x01uubq\x01");
  }
  const std::string many = doubling.stop();
  const auto deep = read_pickle(as_bytes(many), "x");
  CHECK_THROWS_WITH(module_tensors(*deep->root, "x"), Contains("nested without end"));
}
