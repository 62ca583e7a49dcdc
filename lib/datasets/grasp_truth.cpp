#include "lib/datasets/grasp_truth.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "lib/datasets/input_names.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kCameras = {"kinect", "realsense"};
constexpr std::size_t kDigits = 4;

std::string four_digits(int number) {
  std::string text = std::to_string(number);
  return text.size() < kDigits ? std::string(kDigits - text.size(), '0') + text : text;
}

// The number of exactly four digits (more from 10000 on), as it would be written.
std::optional<int> number_of(std::string_view text) {
  int number = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number < 0) return {};
  if (text != four_digits(number)) return {};
  return number;
}

std::optional<int> scene_number(const fs::path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view prefix = "scene_";
  if (!name.starts_with(prefix)) return {};
  return number_of(std::string_view(name).substr(prefix.size()));
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<int> annotated_views(const fs::path& camera_folder) {
  std::vector<int> views;
  for (const fs::path& file : sorted_children(camera_folder / "annotations")) {
    if (file.extension() != ".xml") continue;
    if (const auto view = number_of(file.stem().string())) views.push_back(*view);
  }
  std::ranges::sort(views);
  return views;
}

using Matrix = std::array<double, 16>;  // 4x4, row-major

// Nothing can be brought back through it. By elimination with row pivots; what rounding leaves of
// dependent rows counts as nothing.
bool is_singular(Matrix m) {
  constexpr std::size_t kSize = 4;
  constexpr double kNothing = 1e-12;  // of the largest entry
  const auto size_of = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const double least = kNothing * std::abs(*std::ranges::max_element(m, size_of));
  for (std::size_t k = 0; k < kSize; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < kSize; ++row) {
      if (size_of(m[kSize * pivot + k], m[kSize * row + k])) pivot = row;
    }
    if (pivot != k) std::swap_ranges(&m[kSize * k], &m[kSize * k] + kSize, &m[kSize * pivot]);
    if (!(std::abs(m[kSize * k + k]) > least)) return true;
    for (std::size_t row = k + 1; row < kSize; ++row) {
      const double factor = m[kSize * row + k] / m[kSize * k + k];
      for (std::size_t column = k; column < kSize; ++column) {
        m[kSize * row + column] -= factor * m[kSize * k + column];
      }
    }
  }
  return false;
}

// Of a matrix that is used; others of the file may be anything.
void require_pose(const Matrix& matrix, const fs::path& file, std::size_t index) {
  const bool finite = std::ranges::all_of(matrix, [](double x) { return std::isfinite(x); });
  if (finite && !is_singular(matrix)) return;
  throw io::FormatError(file.string() + ": matrix " + std::to_string(index) +
                        (finite ? " is singular" : " is not finite") + ", so it is no pose");
}

std::vector<Matrix> read_matrices(const fs::path& file) {
  const io::Array array = io::read_npy(file);
  const std::size_t axes = array.shape.size();
  if (axes < 2 || axes > 3 || array.shape[axes - 1] != 4 || array.shape[axes - 2] != 4) {
    throw io::FormatError(file.string() + ": holds " + io::describe(array) +
                          "; wanted 4x4 matrices");
  }
  const std::vector<double> values = io::to_float64(array);
  std::vector<Matrix> matrices(values.size() / 16);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(16 * i), 16, matrices[i].begin());
  }
  return matrices;
}

template <class T>
bool chosen(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

void require_named(const fs::path& root, const TruthSelection& selection) {
  for (const int scene : selection.scenes) {
    const fs::path folder = root / "scenes" / ("scene_" + four_digits(scene));
    if (!is_folder(folder)) throw io::FormatError(folder.string() + ": there is no such scene");
  }
}

SceneViews views_of(const fs::path& folder, int scene, const std::string& camera,
                    const std::vector<int>& wanted) {
  SceneViews result{scene, camera, folder, annotated_views(folder)};
  if (wanted.empty()) return result;
  for (const int view : wanted) {
    if (std::ranges::find(result.views, view) == result.views.end()) {
      throw io::FormatError(annotation_file(result, view).string() +
                            ": no such annotation, but view " + std::to_string(view) +
                            " was asked for");
    }
  }
  result.views = wanted;
  std::ranges::sort(result.views);
  result.views.erase(std::unique(result.views.begin(), result.views.end()), result.views.end());
  return result;
}

}  // namespace

bool in_split(int scene, std::string_view split) {
  if (split == "all") return true;
  if (split == "train") return scene >= 0 && scene < 100;
  if (split == "seen") return scene >= 100 && scene < 130;
  if (split == "similar") return scene >= 130 && scene < 160;
  if (split == "novel") return scene >= 160 && scene < 190;
  return split == "test" && scene >= 100 && scene < 190;
}

std::string SceneViews::scene_name() const {
  return "scene_" + four_digits(scene);
}

std::string SceneViews::view_name(int view) const {
  return scene_name() + "/" + camera + "/" + four_digits(view);
}

fs::path annotation_file(const SceneViews& views, int view) {
  return views.folder / "annotations" / (four_digits(view) + ".xml");
}

bool has_grasp_truth(const fs::path& root) {
  for (const fs::path& scene : sorted_children(root / "scenes")) {
    if (!scene_number(scene)) continue;
    for (const char* camera : kCameras) {
      if (is_folder(scene / camera / "annotations")) return true;
    }
  }
  return false;
}

std::vector<SceneViews> select_scene_views(const fs::path& root, const TruthSelection& selection) {
  require_named(root, selection);
  std::vector<SceneViews> result;
  for (const std::string camera : kCameras) {
    if (!chosen(selection.cameras, camera)) continue;
    bool found = false;
    for (const fs::path& scene : sorted_children(root / "scenes")) {
      const std::optional<int> number = scene_number(scene);
      if (!number || !in_split(*number, selection.split) || !chosen(selection.scenes, *number)) {
        continue;
      }
      const fs::path folder = scene / camera;
      if (!is_folder(folder / "annotations")) continue;
      SceneViews views = views_of(folder, *number, camera, selection.views);
      if (views.views.empty()) continue;
      found = true;
      result.push_back(std::move(views));
    }
    if (!found && !selection.cameras.empty()) {
      throw io::FormatError(root.string() + ": no selected scene has annotations of the camera '" +
                            camera + "'");
    }
  }
  if (result.empty()) {
    throw io::FormatError(root.string() + ": no scene of split '" + selection.split +
                          "' with annotations is selected; wanted "
                          "scenes/scene_NNNN/CAMERA/annotations/NNNN.xml");
  }
  return result;
}

SceneTruth read_scene_truth(const SceneViews& views) {
  SceneTruth truth;
  // The list of objects is that of view 0, whichever views are evaluated.
  for (const ObjectPose& pose : read_object_poses(annotation_file(views, 0))) {
    truth.object_ids.push_back(pose.id);
  }
  const fs::path table = views.folder / "cam0_wrt_table.npy";
  const auto tables = read_matrices(table);
  if (tables.empty()) throw io::FormatError(table.string() + ": holds no matrix");
  require_pose(tables.front(), table, 0);
  truth.table_from_camera0 = tables.front();
  const fs::path poses = views.folder / "camera_poses.npy";
  truth.camera0_from_camera = read_matrices(poses);
  for (const int view : views.views) {
    if (static_cast<std::size_t>(view) >= truth.camera0_from_camera.size()) {
      throw io::FormatError(poses.string() + ": holds " +
                            std::to_string(truth.camera0_from_camera.size()) +
                            " poses; there is none for view " + std::to_string(view));
    }
    require_pose(truth.camera0_from_camera[static_cast<std::size_t>(view)], poses,
                 static_cast<std::size_t>(view));
  }
  return truth;
}

}  // namespace grasppanda::datasets
