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
  double depth_min = 0.0;                              // metres
  std::optional<double> depth_max;                     // metres
  std::optional<std::array<double, 6>> limit_box;      // xmin xmax ymin ymax zmin zmax, camera frame
  std::optional<std::filesystem::path> object_mask;    // image of the frame's size, or .npy per point
};

/// Rows in row-major pixel order (depth) or file order (stored cloud).
struct MaskedCloud {
  std::vector<double> xyz;                  // 3 per point, metres
  std::vector<std::int64_t> pixel;          // row-major pixel of each point; empty for stored clouds
  std::vector<std::uint8_t> rgb;            // 3 per point, or empty
  std::vector<std::uint8_t> object_mask;    // one per point, or empty: no mask
  std::vector<std::pair<std::string, std::int64_t>> counts;   // valid_pixels, after_mask, ...
  std::vector<std::string> warnings;        // "cloud lies 612 m away; is factor_depth right?", ...
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

MaskedCloud masked_cloud(const Frame& frame, const CloudSettings& settings);

/// Extent of a cloud for the record; all fields but `points` are meaningless when it is 0.
struct CloudExtent {
  std::int64_t points = 0;
  geometry::Vec3 min{}, max{}, mean{};
  double median_depth = 0;
};
CloudExtent cloud_extent(const std::vector<double>& xyz);

}  // namespace grasppanda::datasets
