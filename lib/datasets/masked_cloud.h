// From a frame to the cloud that every grasp model starts from: valid depth, workspace, limits.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// The `input.*` keys that decide which points count.
struct CloudSettings {
  double depth_min = 0.0;                            // metres, inclusive
  std::optional<double> depth_max;                   // metres, inclusive
  std::optional<std::array<double, 6>> limit_box;    // xmin xmax ymin ymax zmin zmax, camera frame
  std::optional<std::filesystem::path> object_mask;  // see read_object_mask in object_mask.h
};

/// Rows in row-major pixel order (depth) or file order (stored cloud).
struct MaskedCloud {
  std::vector<double> xyz;                // 3 per point, metres
  std::vector<std::int64_t> pixel;        // row-major pixel of each point; empty for stored clouds
  std::vector<std::uint8_t> rgb;          // 3 per point, or empty
  std::vector<std::uint8_t> object_mask;  // one per point, or empty: no mask
  std::vector<std::pair<std::string, std::int64_t>> counts;  // see masked_cloud
  std::vector<std::string> warnings;  // "cloud lies 612 m away; is factor_depth right?", ...
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

/// Depth: z = raw / factor, x = ((u - cx) * z) / fx, y = ((v - cy) * z) / fy in double; kept where
/// raw is positive and finite, z within the depth limits, the workspace not 0, the point not
/// outside the limit box (its faces count as inside). Counts, in this order: pixels; zero_pixels,
/// negative_pixels, nan_pixels, infinite_pixels (only those that occur); valid_pixels;
/// after_depth_limits (if any are set); workspace_pixels (if there is a mask); after_mask;
/// after_limit_box (if set); object_points (if there is an object mask).
///
/// Stored clouds: points with a NaN or infinite coordinate are dropped, with a warning; then the
/// limit box. Depth limits and workspace do not apply. Counts: stored_points, valid_points, then as
/// above.
///
/// Warns when a frame's median depth is below 5 cm or above 10 m, or a stored cloud's median
/// distance from its origin is above 10 m: the unit is hardly right. An empty cloud is no error,
/// but a warning that names the stage where the points ran out. Throws io::FormatError for an
/// object mask that cannot be used. Cost: one pass over the pixels, memory in proportion to the
/// points. Source: the public graspness and graspnet-baseline data loaders; docs/inputs.md.
MaskedCloud masked_cloud(const Frame& frame, const CloudSettings& settings);

/// Extent of a cloud for the record; all fields but `points` are meaningless when it is 0.
struct CloudExtent {
  std::int64_t points = 0;
  geometry::Vec3 min{}, max{}, mean{};
  double median_depth = 0;  // of z; of two middle values the mean
};
CloudExtent cloud_extent(const std::vector<double>& xyz);

}  // namespace grasppanda::datasets
