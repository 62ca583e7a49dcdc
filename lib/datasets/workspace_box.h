// The workspace of a GraspNet-1Billion scene: the box of all labelled pixels, in the table's frame.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/geometry/rigid_transform.h"

namespace grasppanda::datasets {

/// A 4x4 as the data set stores it. Its rotation is taken as it is, unchecked: the published
/// numbers come from the plain matrix product. Throws io::FormatError, `name` in front, when a
/// number is not finite or the last row is not 0 0 0 1.
geometry::RigidTransform affine_from_matrix(const std::array<double, 16>& matrix,
                                            const std::string& name);

/// One byte a pixel: 1 where the pixel's point, in the table's frame, lies strictly inside the
/// per-axis minimum and maximum of the labelled pixels' points, widened by 2 cm; nothing when no
/// pixel is labelled. In double. A labelled pixel without depth counts as a point at the camera, as
/// in the original code: the box then reaches up to it.
/// Source: the workspace rule of graspnet-baseline's data set; gsnet uses the same.
std::optional<std::vector<std::uint8_t>> workspace_from_labels(
    const DepthImage& depth, const geometry::Intrinsics& intrinsics,
    std::span<const std::uint8_t> labelled, const geometry::RigidTransform& table_from_camera);

}  // namespace grasppanda::datasets
