// One RGB-D capture, one stored cloud: what the grasp models start from, before any mask. One
// picture: what the detectors start from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/geometry/camera.h"
#include "lib/io/geotiff.h"
#include "lib/io/image.h"
#include "lib/io/point_cloud.h"

namespace grasppanda::datasets {

/// Where an input lies; opening it is a separate step, so that a run can list before it reads.
struct InputRef {
  enum class Kind { frame_folder, scene_frame, cloud_file, depth_file, network_points, image_file };
  std::string name;              // relative to the root that was given, without suffix
  std::filesystem::path source;  // what the user would call it; a scene's camera folder
  Kind kind = Kind::frame_folder;
  std::string view;     // scene_frame: "0000"
  std::string problem;  // not empty: why it cannot be opened (open_input throws it)
};

/// Depth as stored: metres = raw / factor. 0, negative and non-finite raw values are no
/// measurement.
struct DepthImage {
  std::int64_t width = 0, height = 0;
  std::vector<double> raw;  // row-major
  double factor = 1000.0;
};

/// A frame as read and checked: sizes agree, the intrinsics are a camera's.
struct Frame {
  std::string name;
  std::filesystem::path source;
  std::vector<std::filesystem::path> files;  // every file that was read, for the manifest
  std::optional<DepthImage> depth;           // none for a stored cloud
  geometry::Intrinsics intrinsics;
  std::optional<io::Image> color;                      // 8-bit RGB, size of the depth
  std::optional<std::vector<std::uint8_t>> workspace;  // one byte a pixel, not 0: inside
  std::optional<io::PointCloud> cloud;                 // a stored cloud in place of depth
  std::vector<std::string> warnings;
};

/// An aerial picture, upright, as detectors start from it.
struct AerialImage {
  std::int64_t width = 0, height = 0;
  /// 8-bit RGB; none for a picture that is so large that it is read in pieces later.
  std::optional<io::Image> rgb;
  std::optional<io::GeoReference> geo;  // where its pixels lie in the world
  std::string format;                   // as found in the file
  std::vector<std::string> warnings;
};

}  // namespace grasppanda::datasets
