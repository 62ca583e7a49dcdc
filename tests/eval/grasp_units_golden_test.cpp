// Parts of the grasp evaluation against the public one: poses, thinned models, distance grids.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/catch.h"
#include "tests/eval/mini_data_set.h"

namespace grasppanda::tests {

TEST_CASE("poses, thinned models and grids of the public evaluation") {
  GP_NEED_DATA(goldens, "goldens/grasp_evaluation/units.json");
  GP_NEED_DATA(data, "data/grasp_mini");
  std::ifstream stream(goldens);
  const nlohmann::json units = nlohmann::json::parse(stream);
  MiniDataSet mini(data);

  int poses = 0;
  for (const auto& [view, wanted] : units["poses"].items()) {
    CAPTURE(view);
    const std::string path = "scenes/scene_" + view.substr(0, view.rfind('/')) + "/annotations/" +
                             view.substr(view.rfind('/') + 1) + ".xml";
    const auto got = datasets::read_object_poses(data / path);
    REQUIRE(got.size() == wanted["objects"].size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(got[i].id == wanted["objects"][i]["id"].get<int>());
      for (std::size_t k = 0; k < 16; ++k) {  // float32, bit for bit
        CHECK(static_cast<double>(got[i].camera_from_object[k]) ==
              wanted["objects"][i]["pose"][k].get<double>());
      }
      ++poses;
    }
  }
  CHECK(poses == 88);

  for (const auto& [id, wanted] : units["models"].items()) {
    CAPTURE(id);
    const eval::PointSet& points = mini.object(std::stoi(id)).points;
    CHECK(points.size() == wanted["mean_points"].get<std::size_t>());
    const double sum = std::accumulate(points.x.begin(), points.x.end(), 0.0);
    CHECK(std::abs(sum - wanted["sum"][0].get<double>()) < 1e-9);
  }

  int samples = 0;
  for (const auto& [id, wanted] : units["sdf"].items()) {
    const eval::DistanceGrid& grid = mini.object(std::stoi(id)).distances;
    CHECK(grid.surface_threshold() == wanted["surface_threshold"].get<double>());
    for (const auto& sample : wanted["samples"]) {
      const auto at = sample["grid"].get<eval::Vec3>();
      const double value = sample["value"].get<double>();
      CHECK(std::abs(grid.value(at) - value) < 1e-15);
      CHECK(grid.surface_value(at).has_value() == sample["on_surface"].get<bool>());
      const auto model = sample["model"].get<eval::Vec3>();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        CHECK(std::abs(grid.to_model(at)[axis] - model[axis]) < 1e-15);
      }
      ++samples;
    }
  }
  CHECK(samples == 280);
}

}  // namespace grasppanda::tests
