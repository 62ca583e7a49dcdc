#include "lib/datasets/object_files.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lib/io/format_error.h"
#include "lib/io/ply.h"

namespace grasppanda::datasets {
namespace {

constexpr double kLeastStep = 1e-5, kMostStep = 1;  // metres

}  // namespace

std::filesystem::path object_folder(const std::filesystem::path& root, int object_id) {
  const std::string digits = std::to_string(object_id);
  const std::string name = std::string(3 - std::min<std::size_t>(digits.size(), 3), '0') + digits;
  return root / "models" / name;
}

ObjectFiles read_object_files(const std::filesystem::path& root, int object_id) {
  const std::filesystem::path folder = object_folder(root, object_id);
  return checked_object_files(folder, io::read_sdf(folder / "textured.sdf"));
}

ObjectFiles checked_object_files(const std::filesystem::path& folder, io::SdfGrid distances) {
  const std::filesystem::path mesh = folder / "nontextured.ply";
  ObjectFiles files{io::read_ply(mesh).xyz, std::move(distances)};
  if (files.vertices.empty()) throw io::FormatError(mesh.string() + ": has no vertices");
  if (!std::ranges::all_of(files.vertices, [](double x) { return std::isfinite(x); })) {
    throw io::FormatError(mesh.string() + ": has vertices that are not finite");
  }
  const double step = files.distances.step;
  if (!(step >= kLeastStep && step <= kMostStep)) {
    throw io::FormatError((folder / "textured.sdf").string() + ": a grid step of " +
                          std::to_string(step) + " m; wanted 0.01 mm to 1 m (units are metres)");
  }
  return files;
}

}  // namespace grasppanda::datasets
