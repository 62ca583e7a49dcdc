// predictions/NAME.json: the grasps with names and units, readable without this program's docs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "lib/io/atomic_file.h"
#include "lib/run/writer.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;

ordered_json fields(const std::string& pose) {
  return {
      {"score", "model's score, best first; not a probability, may exceed 1"},
      {"width", "metres; opening between the fingers"},
      {"height", "metres; thickness of the fingers along the normal"},
      {"depth", "metres; reach of the finger tips beyond the origin along approach"},
      {"rotation",
       "3x3, rows; columns are approach (column 0), closing direction (column 1), normal = "
       "approach x closing (column 2), as unit vectors of 'frame'"},
      {"translation",
       "metres; origin of the grasp frame in 'frame'; the fingers end at x = depth, "
       "the palm is at x = -0.02"},
      {"object_id", "label of the object; -1: unknown"},
      {pose, "4x4, rows; [rotation translation; 0 0 0 1]: p_frame = M p_grasp"},
  };
}

/// What the models know besides the 17 numbers.
const char* extra_meaning(std::string_view name) {
  if (name == "width_predicted") {
    return "metres; opening that the network predicted; 'width' is what model.opening makes of it";
  }
  return "further output of the model, see docs/models";
}

ordered_json frame_meaning(const GraspResult& result) {
  if (result.base_from_camera) return "robot base, by base_from_camera of output.frame; metres";
  if (result.picture) return "camera: x right, y down, z forward; metres";
  return "frame of the input cloud; metres";
}

ordered_json rows(const geometry::Grasp& grasp) {
  ordered_json matrix = ordered_json::array();
  for (std::size_t row = 0; row < 3; ++row) {
    matrix.push_back(
        {grasp.rotation[3 * row], grasp.rotation[3 * row + 1], grasp.rotation[3 * row + 2]});
  }
  return matrix;
}

ordered_json pose_rows(const geometry::Grasp& grasp) {
  ordered_json matrix = rows(grasp);
  for (std::size_t row = 0; row < 3; ++row) matrix[row].push_back(grasp.translation[row]);
  matrix.push_back({0, 0, 0, 1});
  return matrix;
}

std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

void write_json(const GraspResult& result, const std::filesystem::path& file) {
  const char* frame = result.base_from_camera ? "base" : "camera";
  const std::string pose = std::string(frame) + "_from_grasp";
  ordered_json meaning = fields(pose);
  for (const auto& [name, values] : result.extra) {
    meaning[name] = extra_meaning(name);
  }
  std::string text = "{\n \"schema\": \"grasppanda.grasps/1\",\n \"name\": " + dump(result.name) +
                     ",\n \"frame\": " + dump(frame) +
                     ",\n \"frame_meaning\": " + dump(frame_meaning(result));
  if (result.base_from_camera) {
    ordered_json matrix = ordered_json::array();
    for (std::size_t row = 0; row < 4; ++row) {
      const double* m = result.base_from_camera->data() + 4 * row;
      matrix.push_back({m[0], m[1], m[2], m[3]});
    }
    text += ",\n \"base_from_camera\": " + dump(matrix);
  }
  text += ",\n \"fields\": " + meaning.dump(1, ' ') + ",\n \"grasps\": [";
  const std::vector<geometry::Grasp> grasps = grasps_in_file_frame(result);
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    const geometry::Grasp& grasp = grasps[i];
    ordered_json entry = {{"score", grasp.score},
                          {"width", grasp.width},
                          {"height", grasp.height},
                          {"depth", grasp.depth},
                          {"rotation", rows(grasp)},
                          {"translation", grasp.translation},
                          {"object_id", std::lround(grasp.object_id)},
                          {pose, pose_rows(grasp)}};
    for (const auto& [name, values] : result.extra) entry[name] = values.at(i);
    text += (i == 0 ? "\n  " : ",\n  ") + dump(entry);
  }
  text += grasps.empty() ? "]\n}\n" : "\n ]\n}\n";
  io::write_file_atomically(file, text);
}

}  // namespace grasppanda::run
