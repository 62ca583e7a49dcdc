#include "lib/datasets/frame_parts.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "lib/datasets/camera_meta.h"
#include "lib/datasets/frame_images.h"
#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

/// Reads metas in order of precedence and keeps the first answer to each question.
class CameraAnswers {
 public:
  void add(const std::filesystem::path& path, std::vector<std::filesystem::path>& files) {
    if (path.empty()) return;
    const CameraMeta meta = read_camera_meta(path);
    files.push_back(path);
    if (!intrinsics && meta.intrinsics) {
      intrinsics = meta.intrinsics;
      intrinsics_from = path;
      width = meta.width;
      height = meta.height;
    }
    if (!factor) factor = meta.factor_depth;
  }

  std::optional<geometry::Intrinsics> intrinsics;
  std::optional<double> factor;
  std::optional<std::int64_t> width, height;
  std::filesystem::path intrinsics_from;
};

/// Numbers from the configuration or the command line are as untrusted as a file's.
std::optional<geometry::Intrinsics> checked(const std::optional<geometry::Intrinsics>& given) {
  if (!given) return std::nullopt;
  try {
    return geometry::checked_intrinsics(given->fx, given->fy, given->cx, given->cy);
  } catch (const std::invalid_argument& error) {
    throw io::FormatError(std::string("input.intrinsics: ") + error.what());
  }
}

CameraAnswers ask_camera(const FrameFiles& files, const OpenSettings& settings,
                         std::vector<std::filesystem::path>& read) {
  CameraAnswers answers;
  answers.intrinsics = checked(settings.intrinsics);
  answers.factor = settings.depth_scale;
  if (settings.intrinsics_file) answers.add(*settings.intrinsics_file, read);
  // A meta that cannot answer anything any more need not even be readable.
  if (!answers.intrinsics || !answers.factor) answers.add(files.meta, read);
  if (!answers.intrinsics) answers.add(files.intrinsics, read);
  return answers;
}

void check_camera(const CameraAnswers& camera, const InputRef& input, Frame& frame) {
  const std::string where = input.source.string();
  const DepthImage& depth = *frame.depth;
  if (!camera.intrinsics) {
    throw io::FormatError(where +
                          ": no intrinsics: no meta.mat or meta.json with 'intrinsic_matrix'; set "
                          "input.intrinsics to a file or to {fx, fy, cx, cy}");
  }
  if (!camera.factor) {
    throw io::FormatError(where +
                          ": no depth unit: no 'factor_depth' in its meta; set input.depth.scale "
                          "to the raw units of a metre (1000 for millimetres)");
  }
  if ((camera.width && *camera.width != depth.width) ||
      (camera.height && *camera.height != depth.height)) {
    throw io::FormatError(camera.intrinsics_from.string() + ": intrinsics of a picture of " +
                          std::to_string(camera.width.value_or(0)) + " x " +
                          std::to_string(camera.height.value_or(0)) +
                          " pixels, but the depth has " + std::to_string(depth.width) + " x " +
                          std::to_string(depth.height));
  }
  const geometry::Intrinsics& k = *camera.intrinsics;
  if (k.cx < 0 || k.cy < 0 || k.cx > static_cast<double>(depth.width) ||
      k.cy > static_cast<double>(depth.height)) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "the principal point (%.1f, %.1f) lies outside of the picture of %lld x %lld "
                  "pixels; are these the intrinsics of this picture?",
                  k.cx, k.cy, static_cast<long long>(depth.width),
                  static_cast<long long>(depth.height));
    frame.warnings.emplace_back(text);
  }
}

}  // namespace

std::filesystem::path first_existing(const std::filesystem::path& folder,
                                     std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    std::filesystem::path path = folder / name;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

Frame read_frame(const InputRef& input, const FrameFiles& files, const OpenSettings& settings) {
  const auto& color = settings.color_file ? *settings.color_file : files.color;
  const std::filesystem::path mask =
      settings.workspace_mask == OpenSettings::Mask::none   ? std::filesystem::path()
      : settings.workspace_mask == OpenSettings::Mask::file ? settings.workspace_mask_file
                                                            : files.workspace_mask;
  check_stated_sides(files.depth, color, mask);
  Frame frame;
  frame.name = input.name;
  frame.source = input.source;
  frame.depth = read_depth(files.depth);
  frame.files.push_back(files.depth);

  const CameraAnswers camera = ask_camera(files, settings, frame.files);
  check_camera(camera, input, frame);
  frame.intrinsics = *camera.intrinsics;
  if (!std::isfinite(*camera.factor) || *camera.factor <= 0) {
    throw io::FormatError(input.source.string() + ": the depth unit must be a positive number");
  }
  frame.depth->factor = *camera.factor;

  if (!color.empty()) {
    frame.color = read_color(color, *frame.depth);
    frame.files.push_back(color);
  }
  if (!mask.empty()) {
    frame.workspace = read_mask(mask, *frame.depth);
    frame.files.push_back(mask);
  }
  return frame;
}

}  // namespace grasppanda::datasets
