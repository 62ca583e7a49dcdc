// What is said about runs that were evaluated differently, and how they are called.
#include "app/commands/run_differences.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using nlohmann::json;
using Sentences = std::vector<std::string>;

json detections() {
  return {{"task", "detection"}, {"convention", "dota"},
          {"overlap", "exact"},  {"iou", 0.5},
          {"images", 4},         {"classes", {{"plane", {{"gt", 2}}}, {"ship", {{"gt", 3}}}}}};
}

json scene(const char* views) {
  return {{"AP", 0.4}, {"view_list", views}};
}

json grasps() {
  const json scenes = {{"scene_0100", scene("0-255")}, {"scene_0160", scene("0-255")}};
  return {{"task", "grasp"}, {"cameras", {{"kinect", {{"scenes", scenes}}}}}};
}

Sentences differences(const Sentences& pointers, const std::vector<json>& values, json document) {
  std::vector<json> runs = {document};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    document[json::json_pointer(pointers[i])] = values[i];
  }
  runs.push_back(document);
  return app::run_differences(runs);
}

}  // namespace

TEST_CASE("runs of detections that were evaluated differently") {
  CHECK(differences({}, {}, detections()).empty());
  CHECK(differences({"/mAP_area"}, {0.9}, detections()).empty());
  CHECK(differences({"/convention"}, {"devkit"}, detections()) ==
        Sentences{"the runs differ in the convention: (1) dota; (2) devkit"});
  CHECK(differences({"/overlap", "/images"}, {"sampled", 3}, detections()) ==
        Sentences{"the runs differ in the kind of overlaps: (1) exact; (2) sampled",
                  "the runs differ in the number of images: (1) 4; (2) 3"});
  CHECK(differences({"/by_iou"}, {{{"0.5", {{"iou", 0.5}}}, {"0.75", {{"iou", 0.75}}}}},
                    detections()) ==
        Sentences{"the runs differ in the overlap thresholds: (1) 0.5; (2) 0.5, 0.75"});
  CHECK(differences({"/classes/helipad"}, {{{"gt", 0}}}, detections()) ==
        Sentences{"the runs differ in the classes: (1) plane, ship; (2) helipad, plane, ship"});
  CHECK(differences({"/classes/ship/gt"}, {4}, detections()) ==
        Sentences{"the runs differ in the number of objects: (1) 5; (2) 6"});
  // Of many classes those that not every run has.
  json many = detections();
  for (const char c : std::string("abcdefgh")) many["classes"][std::string(1, c)] = {{"gt", 0}};
  CHECK(differences({"/classes/harbor"}, {{{"gt", 0}}}, many) ==
        Sentences{"the runs differ in the classes: (1) 10; (2) 11, among them harbor"});
  // A run that does not say is not compared, the others are.
  const json old = {{"task", "detection"}, {"iou", 0.5}, {"classes", detections()["classes"]}};
  CHECK(app::run_differences(std::vector<json>{detections(), old}).empty());
  json devkit = detections();
  devkit["convention"] = "devkit";
  CHECK(app::run_differences(std::vector<json>{detections(), old, devkit}) ==
        Sentences{"the runs differ in the convention: (1) dota; (2) unknown; (3) devkit"});
  CHECK_THROWS_AS(app::run_differences(std::vector<json>{{{"task", "detection"}}}),
                  json::exception);
}

TEST_CASE("runs of grasps that were evaluated differently") {
  CHECK(differences({}, {}, grasps()).empty());
  CHECK(differences({"/cameras/realsense"}, {grasps()["cameras"]["kinect"]}, grasps()) ==
        Sentences{"the runs differ in the cameras: (1) kinect; (2) kinect, realsense"});
  CHECK(differences({"/cameras/kinect/scenes/scene_0130"}, {scene("0")}, grasps()) ==
        Sentences{"the runs differ in the scenes of kinect: (1) scene_0100, scene_0160; (2) "
                  "scene_0100, scene_0130, scene_0160"});
  const std::string first = "/cameras/kinect/scenes/scene_0100",
                    second = "/cameras/kinect/scenes/scene_0160";
  CHECK(differences({first, second}, {scene("0,37"), scene("0,37")}, grasps()) ==
        Sentences{"the runs differ in the views of kinect: (1) 0-255; (2) 0,37"});
  CHECK(differences({second}, {scene("0,37")}, grasps()) ==
        Sentences{"the runs differ in the views of kinect: (1) 0-255; (2) scene_0100: 0-255, "
                  "scene_0160: 0,37"});
  CHECK(differences({second}, {{{"AP", 0.4}}}, grasps()).empty());
}

TEST_CASE("names of run folders, as long as it takes to tell them apart") {
  const auto names = [](const Sentences& folders) { return app::distinct_names(folders); };
  CHECK(names({"/r/test/a", "/r/test/b/"}) == Sentences{"a", "b"});
  CHECK(names({"/r/x/a", "/r/y/a", "/r/y/c"}) == Sentences{"x/a", "y/a", "c"});
  CHECK(names({"/p/x/m/a", "/q/x/m/a", "/q/y/m/a"}) == Sentences{"p/x/m/a", "q/x/m/a", "y/m/a"});
  CHECK(names({"/a", "/x/a"}) == Sentences{"/a", "x/a"});
  CHECK(names({"/x/a", "/x/../x/a/"}) == Sentences{"a", "a"});
  const std::string here = std::filesystem::current_path().filename().string();
  CHECK(names({".", "/elsewhere/" + here}).back() == "elsewhere/" + here);
}

}  // namespace grasppanda::tests
