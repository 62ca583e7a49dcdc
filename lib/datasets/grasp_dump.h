// Stored grasps to be evaluated: DUMP/SCENE/CAMERA/VIEW.npy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "lib/geometry/grasp.h"

namespace grasppanda::datasets {

struct GraspDump {
  std::vector<double> rows;  // 17 numbers a grasp, see geometry/grasp.h
  bool is_float32 = true;    // type of the file: limits are rounded to it
  std::int64_t count() const {
    return static_cast<std::int64_t>(rows.size()) / geometry::kGraspColumns;
  }
};

/// Reads (N, 17) float32 or float64 in either memory order; N may be 0.
/// Throws io::FormatError: no such file, another shape or type, a number that is not finite (with
/// its row and column, from 0), a rotation that is none (columns not orthonormal within 1e-3).
GraspDump read_grasp_dump(const std::filesystem::path& file);

/// Grasps in memory as a dump of float32, which is what their file would hold.
GraspDump to_grasp_dump(std::span<const geometry::Grasp> grasps);

}  // namespace grasppanda::datasets
