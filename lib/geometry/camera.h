// Pinhole camera: intrinsics and back-projection. Camera frame: x right, y down, z forward, metres.
#pragma once

#include <array>
#include <cstdint>

namespace grasppanda::geometry {

using Vec3 = std::array<double, 3>;

/// Pixels; of the image that the depth is aligned to. No half-pixel shift: column u, row v.
struct Intrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;
};

/// From a row-major 3x3 matrix [fx 0 cx; 0 fy cy; 0 0 1]. Throws std::invalid_argument, saying
/// what is wrong, when it cannot be a camera's: a number that is not finite, a focal length that is
/// not positive, a last row other than 0 0 1 (within 1e-6; a principal point there is called
/// transposed), skew or the entry below it above 1 % of the focal length (less is dropped).
Intrinsics intrinsics_from_matrix(const std::array<double, 9>& matrix);

/// The same check for four numbers. Throws std::invalid_argument.
Intrinsics checked_intrinsics(double fx, double fy, double cx, double cy);

/// Point seen at column u, row v with depth z: x = ((u - cx) * z) / fx, in double, in this order.
inline Vec3 back_project(const Intrinsics& k, double u, double v, double z) {
  return {((u - k.cx) * z) / k.fx, ((v - k.cy) * z) / k.fy, z};
}

/// Pixel (u, v) of a point with z > 0.
inline std::array<double, 2> project(const Intrinsics& k, const Vec3& p) {
  return {p[0] * k.fx / p[2] + k.cx, p[1] * k.fy / p[2] + k.cy};
}

}  // namespace grasppanda::geometry
