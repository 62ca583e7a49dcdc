#include "lib/datasets/graspnet_1billion.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/datasets/frame_parts.h"
#include "lib/datasets/input_names.h"
#include "lib/datasets/workspace_box.h"
#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/image_sides.h"
#include "lib/io/npy.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_camera_folder(const fs::path& folder) {
  std::error_code ignored;
  return is_folder(folder / "depth") &&
         (is_folder(folder / "meta") || fs::exists(folder / "camK.npy", ignored));
}

bool is_scene_folder(const fs::path& folder) {
  return is_camera_folder(folder / "kinect") || is_camera_folder(folder / "realsense");
}

bool has_scenes(const fs::path& folder) {
  const std::vector<fs::path> children = sorted_children(folder);
  return std::any_of(children.begin(), children.end(), is_scene_folder);
}

InputRef view_of(const fs::path& camera_folder, const std::string& view) {
  const fs::path absolute = absolute_path(camera_folder);
  const std::string name =
      absolute.parent_path().filename().string() + "/" + absolute.filename().string() + "/" + view;
  return {name, camera_folder, InputRef::Kind::scene_frame, view, {}};
}

void list_camera(const fs::path& folder, std::vector<InputRef>& inputs) {
  for (const fs::path& file : sorted_children(folder / "depth")) {
    if (file.extension() == ".png") inputs.push_back(view_of(folder, file.stem().string()));
  }
}

/// The file, or the error that says what the workspace of a scene is made of.
fs::path needed_for_workspace(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return file;
  throw io::FormatError(file.string() +
                        ": missing; the workspace of a scene is computed from it: set "
                        "input.workspace_mask to none to use the whole picture, or to a file");
}

/// Row `index` of a stack of 4x4 matrices, or the only one.
std::array<double, 16> read_pose(const fs::path& file, std::size_t index) {
  const io::Array array = io::read_npy(file);
  const std::vector<double> values = io::to_float64(array);
  const bool square = array.shape.size() >= 2 && array.shape.size() <= 3 &&
                      array.shape[array.shape.size() - 1] == 4 &&
                      array.shape[array.shape.size() - 2] == 4;
  if (!square) {
    throw io::FormatError(file.string() + ": holds " + io::describe(array) +
                          "; wanted 4x4 matrices");
  }
  if (index >= values.size() / 16) {
    throw io::FormatError(file.string() + ": holds " + std::to_string(values.size() / 16) +
                          " poses; there is none for view " + std::to_string(index));
  }
  std::array<double, 16> pose;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(16 * index), 16, pose.begin());
  return pose;
}

std::size_t view_number(const InputRef& input) {
  std::size_t number = 0;
  const char* end = input.view.data() + input.view.size();
  const auto [stop, error] = std::from_chars(input.view.data(), end, number);
  if (error != std::errc() || stop != end) {
    throw io::FormatError((input.source / input.view).string() +
                          ": the view has no number, so no camera pose; set "
                          "input.workspace_mask to none");
  }
  return number;
}

void compute_workspace(const InputRef& input, Frame& frame) {
  const fs::path label_file = needed_for_workspace(input.source / "label" / (input.view + ".png"));
  const fs::path poses_file = needed_for_workspace(input.source / "camera_poses.npy");
  const fs::path table_file = needed_for_workspace(input.source / "cam0_wrt_table.npy");
  const auto require_size = [&](std::int64_t width, std::int64_t height) {
    if (width == frame.depth->width && height == frame.depth->height) return;
    throw io::FormatError(label_file.string() + ": label picture of " + std::to_string(width) +
                          " x " + std::to_string(height) + " pixels, but the depth has " +
                          std::to_string(frame.depth->width) + " x " +
                          std::to_string(frame.depth->height));
  };
  const io::ImageSides stated = io::read_image_sides(label_file);  // before memory is taken for it
  if (!io::could_have_sides(stated, {frame.depth->width, frame.depth->height})) {
    require_size(stated.width, stated.height);
  }
  const io::Image label = io::read_image(label_file);
  require_size(label.width, label.height);
  const auto table_from_camera0 = affine_from_matrix(read_pose(table_file, 0), table_file.string());
  const auto camera0_from_camera =
      affine_from_matrix(read_pose(poses_file, view_number(input)), poses_file.string());
  const std::vector<std::uint8_t> labelled = io::nonzero_pixels(label);
  frame.workspace = workspace_from_labels(*frame.depth, frame.intrinsics, labelled,
                                          table_from_camera0 * camera0_from_camera);
  if (!frame.workspace) {
    throw io::FormatError(label_file.string() +
                          ": no labelled pixel, so the workspace cannot be computed; set "
                          "input.workspace_mask to none");
  }
  for (const fs::path& file : {label_file, poses_file, table_file}) frame.files.push_back(file);
}

}  // namespace

bool is_graspnet_folder(const fs::path& folder) {
  return is_camera_folder(folder) || is_scene_folder(folder) || has_scenes(folder) ||
         has_scenes(folder / "scenes");
}

std::vector<InputRef> list_graspnet_frames(const fs::path& folder) {
  std::vector<InputRef> inputs;
  if (is_camera_folder(folder)) {
    list_camera(folder, inputs);
    return inputs;
  }
  if (is_scene_folder(folder)) {
    for (const char* camera : {"kinect", "realsense"}) {
      if (is_camera_folder(folder / camera)) list_camera(folder / camera, inputs);
    }
    return inputs;
  }
  const bool root = has_scenes(folder / "scenes");
  for (const fs::path& scene : sorted_children(root ? folder / "scenes" : folder)) {
    if (!is_scene_folder(scene)) continue;
    std::vector<InputRef> frames = list_graspnet_frames(scene);
    inputs.insert(inputs.end(), std::make_move_iterator(frames.begin()),
                  std::make_move_iterator(frames.end()));
  }
  return inputs;
}

std::optional<InputRef> graspnet_view(const fs::path& path) {
  std::error_code ignored;
  const fs::path parent = absolute_path(path).parent_path();
  const std::string folder = parent.filename().string();
  const bool picture = path.extension() == ".png" && (folder == "depth" || folder == "rgb");
  const fs::path here = path.has_parent_path() ? path.parent_path() : ".";
  const fs::path camera = picture ? here / ".." : here;
  if (!is_camera_folder(camera)) return std::nullopt;
  const std::string view = picture ? path.stem().string() : path.filename().string();
  if (view.empty() || !fs::exists(camera / "depth" / (view + ".png"), ignored)) return std::nullopt;
  return view_of(camera.lexically_normal(), view);
}

Frame open_graspnet_frame(const InputRef& input, const OpenSettings& settings) {
  const fs::path& folder = input.source;
  FrameFiles files;
  files.depth = folder / "depth" / (input.view + ".png");
  files.color = first_existing(folder / "rgb", {(input.view + ".png").c_str()});
  files.meta = first_existing(folder / "meta", {(input.view + ".mat").c_str()});
  files.intrinsics = first_existing(folder, {"camK.npy"});
  Frame frame = read_frame(input, files, settings);
  if (settings.workspace_mask == OpenSettings::Mask::automatic) compute_workspace(input, frame);
  return frame;
}

}  // namespace grasppanda::datasets
