// Every number of the public evaluation on the mini data set, grasp by grasp.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "lib/eval/grasp_ap.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/eval/mini_data_set.h"

namespace grasppanda::tests {
namespace {

using nlohmann::json;

json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  return json::parse(stream);
}

struct Case {
  std::string set, folder;  // "main", "scene_0100/kinect"
};

std::vector<Case> cases(const std::filesystem::path& goldens) {
  std::vector<Case> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(goldens)) {
    if (entry.path().filename() != "detail.json") continue;
    const auto folder = entry.path().parent_path().lexically_relative(goldens);
    found.push_back(
        {folder.begin()->string(), folder.lexically_relative(*folder.begin()).generic_string()});
  }
  std::ranges::sort(found, {}, [](const Case& c) { return c.set + c.folder; });
  return found;
}

double largest_difference(const json& wanted, const eval::Vec3& got) {
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    worst = std::max(worst, std::abs(wanted[i].get<double>() - got[i]));
  }
  return worst;
}

// What is compared, so that a test that compares nothing fails.
struct Compared {
  int grasps = 0, closures = 0;
};

void compare_grasp(const json& object, std::size_t k, const eval::GraspVerdict& got,
                   Compared& compared) {
  CAPTURE(got.row, object["object_id"].get<int>());
  ++compared.grasps;
  CHECK((got.collision || got.empty) == object["collision"][k].get<bool>());
  CHECK(got.empty == object["empty"][k].get<bool>());
  CHECK(got.closure.score == object["score"][k].get<double>());
  const json& contacts = object["contacts"][k];
  if (!got.tested) return;
  if (!object["center"][k].is_null()) {
    CHECK(largest_difference(object["center"][k], got.axis.centre) < 1e-9);
    CHECK(largest_difference(object["axis"][k], got.axis.direction) < 1e-9);
  }
  CHECK(contacts.is_null() == !got.closure.contacts);
  if (contacts.is_null() || !got.closure.contacts) return;
  ++compared.closures;
  for (std::size_t i = 0; i < 2; ++i) {
    const eval::Contact& contact = (*got.closure.contacts)[i];
    CHECK(largest_difference(contacts[i], contact.point) < 1e-8);
    CHECK(largest_difference(object["normals"][k][i], contact.normal) < 1e-6);
    CHECK(std::abs(object["angles_deg"][k][i].get<double>() -
                   got.closure.angles_rad[i] * 180 / M_PI) < 1e-4);
  }
}

void compare_view(const json& wanted, const eval::ViewVerdict& got, Compared& compared) {
  CHECK(wanted["nms_rows"].get<std::vector<std::int64_t>>() == got.kept_rows);
  CHECK(wanted["assigned"].get<std::vector<std::size_t>>() == got.assigned);
  std::vector<std::int64_t> rows;
  for (const eval::GraspVerdict& verdict : got.ranked) rows.push_back(verdict.row);
  REQUIRE(wanted["ranked_rows"].get<std::vector<std::int64_t>>() == rows);
  for (std::size_t o = 0; o < wanted["objects"].size(); ++o) {
    const json& object = wanted["objects"][o];
    const auto object_rows = object["rows"].get<std::vector<std::int64_t>>();
    for (std::size_t k = 0; k < object_rows.size(); ++k) {
      const auto verdict = std::ranges::find(got.ranked, object_rows[k], &eval::GraspVerdict::row);
      REQUIRE(verdict != got.ranked.end());
      CHECK(verdict->object == o);
      compare_grasp(object, k, *verdict, compared);
    }
  }
}

}  // namespace

TEST_CASE("average precision of scenes, cameras and splits is the public one") {
  GP_NEED_DATA(goldens, "goldens/grasp_evaluation");
  GP_NEED_DATA(data, "data/grasp_mini");
  const json wanted = read(goldens / "summary.json")["main"];
  eval::ObjectStore objects([&](int id) { return datasets::read_object_files(data, id); }, 2, 0);
  eval::GraspEvaluation evaluation(data, objects, 2);
  std::vector<eval::SceneAccuracy> scenes;
  for (const datasets::SceneViews& views : datasets::select_scene_views(data, {})) {
    const auto verdicts = evaluation.evaluate(views, [&](int view) {
      return datasets::read_grasp_dump(data / "dumps/main" / (views.view_name(view) + ".npy"));
    });
    scenes.push_back(eval::accuracy_of(verdicts));
    const json& per_view = wanted[views.camera]["per_view"][std::to_string(views.scene)];
    double sum = 0;
    for (const json& view : per_view) sum += view.get<double>();
    CHECK(scenes.back().sums.views() == per_view.size());
    CHECK(std::abs(scenes.back().sums.mean().ap - sum / per_view.size()) < 1e-12);
  }
  CHECK(scenes.size() == 4);
  for (const char* camera : {"kinect", "realsense"}) {
    for (const char* split : {"all", "seen", "novel"}) {
      CAPTURE(camera, split);
      const auto got = eval::grasp_precision(scenes, camera, split);
      REQUIRE(got.has_value());
      CHECK(std::abs(got->ap - wanted[camera][split]["AP"].get<double>()) < 1e-12);
      CHECK(std::abs(got->ap_08 - wanted[camera][split]["AP_0_8"].get<double>()) < 1e-12);
      CHECK(std::abs(got->ap_04 - wanted[camera][split]["AP_0_4"].get<double>()) < 1e-12);
    }
    CHECK_FALSE(eval::grasp_precision(scenes, camera, "similar").has_value());
  }
}

TEST_CASE("an evaluation of grasps ends between two views when it is asked to") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const std::vector<datasets::SceneViews> all = datasets::select_scene_views(data, {});
  const datasets::SceneViews& views = all.front();
  REQUIRE(views.views.size() == 4);
  for (const int threads : {1, 2, 8}) {
    CAPTURE(threads);
    eval::ObjectStore objects([&](int id) { return datasets::read_object_files(data, id); },
                              threads, 0);
    eval::GraspEvaluation evaluation(data, objects, threads);
    std::atomic<int> asked = 0, read = 0;
    const auto dump_of = [&](int view) {
      ++read;
      return datasets::read_grasp_dump(data / "dumps/main" / (views.view_name(view) + ".npy"));
    };
    CHECK_THROWS_AS(evaluation.evaluate(views, dump_of, {}, [&] { return ++asked > 2; }),
                    eval::Stopped);
    CHECK(read == 2);
    // What was given up does no harm to what comes next.
    CHECK(evaluation.evaluate(views, dump_of, {}, [] { return false; }).verdicts.size() == 4);
  }
}

TEST_CASE("grasp evaluation agrees with the public one, grasp by grasp") {
  GP_NEED_DATA(goldens, "goldens/grasp_evaluation");
  GP_NEED_DATA(data, "data/grasp_mini");
  MiniDataSet mini(data);
  Compared compared;
  int views = 0;  // on 1, 2 and 3 threads in turn
  for (const Case& c : cases(goldens)) {
    const json details = read(goldens / c.set / c.folder / "detail.json");
    const io::Array accuracy = io::read_npy(goldens / c.set / c.folder / "accuracy.npy");
    const auto wanted = accuracy.as<double>();
    std::size_t at = 0;
    for (const json& view : details) {
      const int number = view["view"].get<int>();
      std::string name = std::to_string(number);
      name = c.folder + "/" + std::string(4 - name.size(), '0') + name;
      CAPTURE(c.set, name);
      const eval::ViewVerdict got = mini.evaluate(c.set, name, 1 + views++ % 3);
      compare_view(view, got, compared);
      double worst = 0;
      for (const auto& row : got.accuracy) {
        for (const double share : row) worst = std::max(worst, std::abs(share - wanted[at++]));
      }
      CHECK(worst < 1e-12);
    }
    CHECK(at == wanted.size());
  }
  CHECK(compared.grasps > 1000);
  CHECK(compared.closures > 400);
  CHECK(views > 20);
}

}  // namespace grasppanda::tests
