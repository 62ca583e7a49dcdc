// predictions/NAME.json of grasps, read back.
#include <nlohmann/json.hpp>

#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/run/writer.h"

namespace grasppanda::run {
namespace {

geometry::Grasp grasp_from(const nlohmann::json& json) {
  geometry::Grasp grasp;
  grasp.score = json.at("score").get<float>();
  grasp.width = json.at("width").get<float>();
  grasp.height = json.at("height").get<float>();
  grasp.depth = json.at("depth").get<float>();
  for (std::size_t i = 0; i < 9; ++i) {
    grasp.rotation[i] = json.at("rotation").at(i / 3).at(i % 3).get<float>();
  }
  json.at("translation").get_to(grasp.translation);
  grasp.object_id = json.at("object_id").get<float>();
  return grasp;
}

}  // namespace

StoredGrasps read_grasps(const std::filesystem::path& file) {
  return grasps_of(io::read_json(file), file.string());
}

StoredGrasps grasps_of(const nlohmann::json& document, const std::string& name) {
  StoredGrasps stored;
  try {
    stored.in_base_frame = document.at("frame") == "base";
    for (const nlohmann::json& entry : document.at("grasps")) {
      stored.grasps.push_back(grasp_from(entry));
    }
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(name + ": is no list of grasps of ours");
  }
  return stored;
}

}  // namespace grasppanda::run
