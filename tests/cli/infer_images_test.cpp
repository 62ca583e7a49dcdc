// `infer` of a detector through the real program: trouble images, every output format, resuming,
// tiles, refusals. The network is a tiny one of random numbers that the goldens hold.
#include <cmath>
#include <numbers>
#include <set>

#include "lib/io/image.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::tests;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// An empty folder with run.yaml, in which the program is run.
class ImageFolder {
 public:
  ImageFolder(const fs::path& weights, const std::string& formats) {
    fs::create_symlink(weights, scratch_.path() / "w.pt");
    scratch_.file(
        "run.yaml",
        "model: {name: yolo_obb, checkpoint: w.pt}\nruntime: {threads: 1}\noutput: {formats: " +
            formats + "}\n");
  }
  Finished infer(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"infer", "-c", "run.yaml"});
    return run_program(arguments, {.folder = scratch_.path(), .limit = std::chrono::seconds(300)});
  }
  fs::path run_of(const Finished& finished) const {
    std::string out = finished.out;
    if (!out.ends_with('\n')) throw std::runtime_error("no run directory: " + finished.err);
    out.pop_back();
    return scratch_.path() / out.substr(out.rfind('\n') + 1);
  }
  const fs::path& path() const { return scratch_.path(); }

 private:
  ScratchFolder scratch_;
};

void check_detections(const ordered_json& file) {
  CHECK(file["schema"] == "grasppanda.detections/1");
  CHECK(file["angle_convention"] == "le90");
  double last = 1;
  for (const ordered_json& detection : file["detections"]) {
    CHECK(detection["w"].get<double>() >= detection["h"].get<double>());
    CHECK(detection["angle_rad"].get<double>() >= -std::numbers::pi / 2);
    CHECK(detection["angle_rad"].get<double>() < std::numbers::pi / 2);
    CHECK(detection["corners"].size() == 8);
    CHECK(detection["score"].get<double>() <= last);
    last = detection["score"];
    CHECK(file["classes"][detection["class_index"].get<std::size_t>()] == detection["class"]);
  }
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("trouble images: verdicts, sizes and names", "[cli][infer]") {
  GP_NEED_DATA(images, "data/troubles/images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const ImageFolder folder(weights, "[json, png]");
  const Finished finished = folder.infer({images.string(), "--no-progress"});
  CHECK(finished.status == 1);  // some are refused
  const fs::path run = folder.run_of(finished);
  const ordered_json expected = json_file(images / "expected.json");
  const ordered_json summary = json_file(run / "summary.json");
  CHECK(summary["inputs"].size() == expected.size());
  std::set<std::string> names;
  for (const ordered_json& input : summary["inputs"]) {
    const std::string file = fs::path(input["source"].get<std::string>()).filename().string();
    CAPTURE(file);
    const ordered_json& verdict = expected.at(file);
    const std::string name = input["name"];
    names.insert(name);
    if (verdict["verdict"] == "reject") {
      CHECK(input["status"] == "failed");
      CHECK(input["kind"] == "format");
      CHECK_FALSE(fs::exists(run / ("predictions/" + name + ".json")));
      continue;
    }
    CHECK((input["status"] == "done" || input["status"] == "empty"));
    const ordered_json result = json_file(run / input["predictions"].get<std::string>());
    check_detections(result);
    CHECK(result["name"] == name);
    if (verdict.contains("size")) {
      CHECK(ordered_json({result["image"]["width"], result["image"]["height"]}) == verdict["size"]);
    }
    const io::Image picture = io::read_image(run / ("pictures/" + name + ".png"));
    CHECK(picture.width == result["image"]["width"].get<std::int64_t>());
    CHECK(picture.height == result["image"]["height"].get<std::int64_t>());
    CHECK(input["figures"].contains("input"));
  }
  for (const char* name : {"P0001__1__0___0", "scene.v2.final", "upper", "exif6"}) {
    CHECK(names.contains(name));
  }
}

TEST_CASE("the same picture in other clothes gives the same detections", "[cli][infer]") {
  GP_NEED_DATA(images, "data/troubles/images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const ImageFolder folder(weights, "[json]");
  std::vector<std::string> arguments = {"--no-progress"};
  const std::vector<std::string> same = {"base.png", "rgba.png", "rgb16.png", "png_named.jpg",
                                         "P0001__1__0___0.png"};
  for (const std::string& name : same) arguments.push_back((images / name).string());
  const Finished finished = folder.infer(arguments);
  CHECK(finished.status == 0);
  const fs::path run = folder.run_of(finished);
  const ordered_json base = json_file(run / "predictions/base.json")["detections"];
  for (const std::string& name : same) {
    CAPTURE(name);
    const ordered_json got =
        json_file(run / ("predictions/" + fs::path(name).stem().string() + ".json"))["detections"];
    CHECK(got == base);
  }
}

TEST_CASE("every format of detections, of one run and of one that went on", "[cli][infer]") {
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const ImageFolder folder(weights, "[json, png, dota, geojson, coco, yolo]");
  const Finished finished = folder.infer({pictures.string(), "--no-progress", "--limit", "1"});
  REQUIRE(finished.status == 0);
  const fs::path run = folder.run_of(finished);
  const Finished resumed =
      run_program({"infer", "--resume", run.string(), "--no-progress"}, {.folder = folder.path()});
  REQUIRE(resumed.status == 0);

  std::size_t detections = 0;
  std::map<std::string, std::size_t> by_class;
  for (const char* name : {"crop_a", "crop_b"}) {
    const ordered_json file = json_file(run / ("predictions/" + std::string(name) + ".json"));
    check_detections(file);
    const std::size_t count = file["detections"].size();
    REQUIRE(count > 0);
    detections += count;
    for (const ordered_json& detection : file["detections"]) ++by_class[detection["class"]];
    CHECK(lines_of(read_bytes(run / ("predictions/yolo/" + std::string(name) + ".txt"))) == count);
    const ordered_json geo = json_file(run / ("predictions/" + std::string(name) + ".geojson"));
    CHECK(geo["features"].size() == count);
    CHECK_FALSE(geo.contains("crs"));
  }
  for (const char* name : {"plane", "ship", "storage tank", "large vehicle"}) {
    std::string hyphenated = name;
    std::ranges::replace(hyphenated, ' ', '-');
    const std::string text =
        read_bytes(run / ("predictions/detections/Task1_" + hyphenated + ".txt"));
    CHECK(lines_of(text) == by_class[name]);
  }
  const ordered_json coco = json_file(run / "predictions/coco.json");
  CHECK(coco["images"].size() == 2);
  CHECK(coco["categories"].size() == 4);
  CHECK(coco["annotations"].size() == detections);
  const ordered_json manifest = json_file(run / "manifest.json");
  std::set<std::string> outputs;
  for (const ordered_json& file : manifest["outputs"]) outputs.insert(file["path"]);
  CHECK(outputs.contains("predictions/coco.json"));
  CHECK(outputs.contains("predictions/detections/Task1_large-vehicle.txt"));
  const ordered_json env = json_file(run / "env.json");
  CHECK(env["model"]["family"] == "yolov8");
  CHECK(env["model"]["scale"] == "custom");
}

TEST_CASE("tiles: recorded window by window, warned of where there are none", "[cli][infer]") {
  GP_NEED_DATA(images, "data/troubles/images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const ImageFolder folder(weights, "[json]");
  const std::string image = (images / "tiling_1100x1300.jpg").string();
  const Finished whole = folder.infer({image, "--no-progress"});
  CHECK(whole.status == 0);
  CHECK(whole.err.find("detect.tiling.min_side") != std::string::npos);  // 1300 to 256
  const Finished tiled =
      folder.infer({image, "--no-progress", "--set", "detect.tiling.min_side=1200"});
  CHECK(tiled.status == 0);
  CHECK(tiled.err.find("detect.tiling.min_side") == std::string::npos);
  const ordered_json input = input_of(folder.run_of(tiled), "tiling_1100x1300");
  CHECK(input["figures"]["tiling"] == ordered_json({1024, 200}));
  REQUIRE(input["tiles"].size() == 4);
  CHECK(input["tiles"][3]["window"] == ordered_json({76, 276, 1024, 1024}));
  CHECK(input["counts"]["after_merge"] == input["counts"]["detections"]);
}

TEST_CASE("stages of a detector have the goldens' names", "[cli][infer]") {
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolo26.pt");
  const ImageFolder folder(weights, "[json]");
  const std::string image = (pictures / "crop_b.png").string();
  REQUIRE(folder.infer({image, "--no-progress", "--stages", "s"}).status == 0);
  for (const char* stage :
       {"image", "input", "L0", "L22", "head.boxes", "head.scores", "head.angle", "decoded",
        "cand.anchor", "cand.rows", "dets", "dets.anchor"}) {
    CAPTURE(stage);
    CHECK(fs::exists(folder.path() / "s/crop_b" / (std::string(stage) + ".npy")));
  }
  REQUIRE(folder.infer({image, "--no-progress", "--stages", "e", "--set", "detect.head=one2one"})
              .status == 0);
  CHECK(fs::exists(folder.path() / "e/crop_b/top.npy"));
  CHECK_FALSE(fs::exists(folder.path() / "e/crop_b/decoded.npy"));
}

TEST_CASE("detectors refuse what is not for them, in words", "[cli][infer]") {
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const std::string image = (pictures / "crop_b.png").string();
  const ImageFolder folder(weights, "[json]");
  const auto refused = [&](const std::vector<std::string>& more, int status,
                           const std::string& words) {
    std::vector<std::string> arguments = {image, "--no-progress"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = folder.infer(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == status);
    CHECK(finished.err.find(words) != std::string::npos);
    CHECK_FALSE(fs::exists(folder.path() / "runs"));
  };
  refused({"--set", "output.formats=[npy]"}, 2, "'npy' is no format of detections");
  refused({"--set", "detect.tiling.overlap=1024"}, 2, "must be greater");
  refused({"--points", image}, 2, "a detector takes images");
  refused({"--set", "model.family=yolo26"}, 3, "it is of family yolov8");
  refused({"--set", "model.scale=n"}, 3, "of scale custom");
  refused({"--set", "detect.head=one2one"}, 3, "one2one wants YOLO26");
  refused({"--set", "detect.classes=dota15"}, 3, "detect.classes names 15 classes");
  refused({"--set", "detect.classes=[plane, ship, tank, car]"}, 3, "class 2 is 'tank'");
  const Finished nothing = folder.infer({"--no-progress"});
  CHECK(nothing.status == 2);
  CHECK(nothing.err.find("infer: no input") != std::string::npos);
}

TEST_CASE("a converted YOLO checkpoint needs no flags", "[cli][infer]") {
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolo26.pt");
  const ImageFolder folder(weights, "[json]");
  const std::string image = (pictures / "crop_b.png").string();
  REQUIRE(run_program({"checkpoint", "convert", "w.pt", "w.safetensors"}, {.folder = folder.path()})
              .status == 0);
  const Finished first = folder.infer({image, "--no-progress"});
  const Finished second = folder.infer({image, "--no-progress", "--checkpoint", "w.safetensors"});
  REQUIRE(first.status == 0);
  REQUIRE(second.status == 0);
  CHECK(read_bytes(folder.run_of(first) / "predictions/crop_b.json") ==
        read_bytes(folder.run_of(second) / "predictions/crop_b.json"));
  const Finished told =
      run_program({"checkpoint", "inspect", "w.safetensors", "--json"}, {.folder = folder.path()});
  const ordered_json listing = ordered_json::parse(told.out);
  CHECK(listing["fits"] == ordered_json({"ultralytics/yolo_obb"}));
  CHECK(listing["model"]["family"] == "yolo26");
  CHECK(listing["model"]["image_size"] == "256");
  CHECK(listing["model"]["sppf_activation"] == "none");
}
