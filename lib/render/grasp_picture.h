// Pictures of grasps: grippers over a frame's colour image, or over views of a stored cloud.
// Pure functions of their arguments: same values, same bytes; nothing is read, printed or thrown
// for odd input (a grasp with a number that is not finite is not drawn).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lib/geometry/camera.h"
#include "lib/geometry/grasp.h"
#include "lib/io/image.h"

namespace grasppanda::render {

/// What is drawn over a frame. All spans outlive the call.
struct GraspPicture {
  const io::Image* color = nullptr;         // 8-bit RGB; null or of another size: cloud is shaded
  geometry::Intrinsics intrinsics;          // of the picture
  std::int64_t width = 0, height = 0;       // of the picture, pixels
  std::span<const double> cloud_xyz;        // 3 per point, metres, camera frame; may be empty
  std::span<const std::uint8_t> cloud_rgb;  // 3 per point, or empty; read when `color` is not used
  std::span<const geometry::Grasp> grasps;  // camera frame, best first
  std::int64_t max_grasps = 50;             // the first so many are drawn; 0: all
  std::string name;                         // of the input, UTF-8; stands in the legend
};

/// 8-bit RGB of width x height. A gripper is two fingers that end at x = depth, a palm at
/// x = -0.02 m and a handle of 0.04 m behind it, coloured by score, the best drawn last. What lies
/// more than 5 mm behind the cloud is dashed and faint. The legend holds name, how many of how many
/// grasps are drawn and the scores' range; it stands in the corner with the fewest grippers and is
/// left out where it would not fit.
/// An empty picture (width or height < 1) gives an image without pixels.
/// Cost: O(pixels + points + drawn line length).
io::Image draw_grasps(const GraspPicture& picture);

/// Where a stored cloud, which has no camera, is looked at from.
enum class CloudView {
  from_above,     // along -up, orthographic, with a scale bar
  three_quarter,  // from 35 degrees above the horizontal, perspective
  both            // the two side by side
};

/// What is drawn of a stored cloud. All spans outlive the call.
struct CloudPicture {
  std::span<const double> cloud_xyz;        // 3 per point, metres, any frame
  std::span<const std::uint8_t> cloud_rgb;  // 3 per point, or empty: coloured by height along up
  std::span<const geometry::Grasp> grasps;  // frame of the cloud, best first
  /// Away from the table, in the cloud's frame. The default suits a cloud in a camera frame: the
  /// view "from above" is then what the camera sees. A zero or non-finite vector means the default.
  geometry::Vec3 up{0, 0, -1};
  CloudView view = CloudView::both;
  std::int64_t width = 1280, height = 720;
  std::int64_t max_grasps = 50;
  std::string name;
};

/// As draw_grasps, the camera fitted to the cloud (outlying 0.2 % on each side aside) and grippers.
io::Image draw_cloud(const CloudPicture& picture);

}  // namespace grasppanda::render
