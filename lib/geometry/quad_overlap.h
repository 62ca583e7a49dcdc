// Overlap of quadrilaterals as they are given: nothing is fitted.
#pragma once

#include <array>
#include <cstdint>

#include "lib/geometry/rotated_box.h"

namespace grasppanda::geometry {

/// A quadrilateral made ready to be overlapped with many others: positive order, cut into convex
/// pieces.
class PreparedQuad {
 public:
  enum class Kind : std::uint8_t {
    simple,    // as given, a negative order turned round
    crossing,  // its sides crossed: the hull of its corners stands for it
    no_area    // overlaps nothing; corners that are not finite, too
  };

  explicit PreparedQuad(const Quad& corners);

  Kind kind() const { return kind_; }
  double area() const { return area_; }
  /// (x1, y1, x2, y2).
  const std::array<double, 4>& bounds() const { return bounds_; }

  /// Share of the intersection in the union, in [0, 1]; the same corners give 1.
  friend double overlap(const PreparedQuad& a, const PreparedQuad& b);

 private:
  struct Piece {
    std::array<Vec2, 4> corners;
    int count = 0;
  };
  static double shared_area(const Piece& a, const Piece& b, const Vec2& origin);

  std::array<Piece, 2> pieces_;
  int count_ = 0;
  double area_ = 0;
  std::array<double, 4> bounds_{};
  Kind kind_ = Kind::no_area;
};

double overlap(const PreparedQuad& a, const PreparedQuad& b);

}  // namespace grasppanda::geometry
