#include "models/mmrotate/box_coders.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace grasppanda::models::mmrotate {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kHalfPi = kPi / 2, kQuarterPi = kPi / 4;
constexpr float kLargestRatio = 4.135166556742356F;  // |ln(16 / 1000)|: sizes change no further

/// With the sign of the divisor.
float floored_modulo(float value, float divisor) {
  const float rest = std::fmod(value, divisor);
  return rest < 0 ? rest + divisor : rest;
}

float size_factor(float delta) {
  // NaN passes, as it does upstream.
  return std::exp(delta < -kLargestRatio  ? -kLargestRatio
                  : delta > kLargestRatio ? kLargestRatio
                                          : delta);
}

struct CentreSize {
  float x, y, w, h;
};
CentreSize centre_of(const Bounds& b) {
  return {(b.x1 + b.x2) * 0.5F, (b.y1 + b.y2) * 0.5F, b.x2 - b.x1, b.y2 - b.y1};
}

void swap_unless_longer(Box& box, AngleConvention convention) {
  if (box.w > box.h) return;  // equal sides turn, too
  std::swap(box.w, box.h);
  box.angle = wrapped(box.angle + kHalfPi, convention);
}

}  // namespace

float wrapped(float angle, AngleConvention convention) {
  switch (convention) {
    case AngleConvention::le90:
      return floored_modulo(angle + kHalfPi, kPi) - kHalfPi;
    case AngleConvention::le135:
      return floored_modulo(angle + kQuarterPi, kPi) - kQuarterPi;
    case AngleConvention::oc:
      break;
  }
  return angle;
}

Bounds bounds_of(const Box& box, AngleConvention convention, Line line) {
  const float c = std::cos(box.angle), s = std::sin(box.angle);
  float x = 0, y = 0;
  if (convention == AngleConvention::oc && line == Line::v0) {
    // Right inside of (0, pi/2] only; angles of `oc` are not wrapped, so others occur.
    x = (box.w * c + box.h * s) / 2;
    y = (box.w * s + box.h * c) / 2;
  } else {
    x = std::abs(box.w / 2 * c) + std::abs(box.h / 2 * s);
    y = std::abs(box.w / 2 * s) + std::abs(box.h / 2 * c);
  }
  return {box.cx - x, box.cy - y, box.cx + x, box.cy + y};
}

Box box_of(const Bounds& bounds) {
  const CentreSize c = centre_of(bounds);
  return {c.x, c.y, c.w, c.h, 0};
}

Box regular_box_of(const Bounds& bounds, AngleConvention convention) {
  return regularized(box_of(bounds), convention);
}

Box regularized(const Box& box, AngleConvention convention) {
  Box result = box;
  if (convention == AngleConvention::oc) {
    const float turn = floored_modulo(box.angle + kHalfPi, kPi);
    if (turn < kHalfPi) {
      result.angle = turn - kHalfPi;
    } else {
      std::swap(result.w, result.h);
      result.angle = (turn - kHalfPi) - kHalfPi;
    }
    return result;
  }
  if (!(box.w > box.h)) {
    std::swap(result.w, result.h);
    result.angle += kHalfPi;
  }
  result.angle = wrapped(result.angle, convention);
  return result;
}

Box decode_rotated(const Box& prior, const float* deltas, const DeltaCoder& coder,
                   AngleConvention convention, const PictureSize* clamp) {
  const float dx = deltas[0] * coder.stds[0], dy = deltas[1] * coder.stds[1];
  float turn = deltas[4] * coder.stds[4];
  if (coder.angle_factor) turn *= *coder.angle_factor * kPi;
  Box box{};
  box.w = prior.w * size_factor(deltas[2] * coder.stds[2]);
  box.h = prior.h * size_factor(deltas[3] * coder.stds[3]);
  if (coder.projected) {
    const float c = std::cos(prior.angle), s = std::sin(prior.angle);
    box.cx = dx * prior.w * c - dy * prior.h * s + prior.cx;
    box.cy = dx * prior.w * s + dy * prior.h * c + prior.cy;
  } else {
    box.cx = prior.cx + prior.w * dx;
    box.cy = prior.cy + prior.h * dy;
  }
  box.angle = wrapped(prior.angle + turn, convention);
  if (clamp != nullptr) {
    box.cx = std::clamp(box.cx, 0.0F, clamp->width - 1);
    box.cy = std::clamp(box.cy, 0.0F, clamp->height - 1);
  }
  if (coder.edge_swap) swap_unless_longer(box, convention);
  return box;
}

Box decode_rotated_of(const Bounds& prior, const float* deltas, const DeltaCoder& coder,
                      AngleConvention convention) {
  const CentreSize from = centre_of(prior);
  float turn = deltas[4] * coder.stds[4];
  if (coder.angle_factor) turn *= *coder.angle_factor * kPi;
  Box box{};
  box.w = from.w * size_factor(deltas[2] * coder.stds[2]);
  box.h = from.h * size_factor(deltas[3] * coder.stds[3]);
  box.cx = from.x + from.w * (deltas[0] * coder.stds[0]);
  box.cy = from.y + from.h * (deltas[1] * coder.stds[1]);
  box.angle = wrapped(turn, convention);
  if (coder.edge_swap) swap_unless_longer(box, convention);
  return box;
}

Bounds decode_horizontal(const Bounds& prior, const float* deltas, const PictureSize& size) {
  const CentreSize from = centre_of(prior);
  const float w = from.w * size_factor(deltas[2]), h = from.h * size_factor(deltas[3]);
  const float x = from.x + from.w * deltas[0], y = from.y + from.h * deltas[1];
  const auto inside = [](float value, float most) { return std::clamp(value, 0.0F, most); };
  return {inside(x - w * 0.5F, size.width), inside(y - h * 0.5F, size.height),
          inside(x + w * 0.5F, size.width), inside(y + h * 0.5F, size.height)};
}

Box decode_midpoint(const Bounds& prior, const float* deltas, AngleConvention convention,
                    Line line) {
  constexpr float kMidpointStd = 0.5F;
  const CentreSize from = centre_of(prior);
  const float w = from.w * size_factor(deltas[2]), h = from.h * size_factor(deltas[3]);
  const float x = from.x + from.w * deltas[0], y = from.y + from.h * deltas[1];
  const float a = std::clamp(deltas[4] * kMidpointStd, -0.5F, 0.5F);
  const float b = std::clamp(deltas[5] * kMidpointStd, -0.5F, 0.5F);
  // From the centre to the four vertices: upper, right, lower, left side.
  const std::array<std::array<float, 2>, 4> ray = {
      {{a * w, -h * 0.5F}, {w * 0.5F, b * h}, {-a * w, h * 0.5F}, {-w * 0.5F, -b * h}}};
  std::array<float, 4> length{};
  for (std::size_t i = 0; i < 4; ++i) {
    length[i] = std::sqrt(ray[i][0] * ray[i][0] + ray[i][1] * ray[i][1]);
  }
  const float longest = *std::max_element(length.begin(), length.end());
  // Pushed out to one circle, the vertices are those of a rectangle.
  geometry::Quad quad;
  for (std::size_t i = 0; i < 4; ++i) {
    const float stretch = longest / length[i];
    quad[i] = {x + ray[i][0] * stretch, y + ray[i][1] * stretch};
  }
  const geometry::RotatedBox found = geometry::box_of_rectangle(quad, convention);
  const Box box{static_cast<float>(found.cx), static_cast<float>(found.cy),
                static_cast<float>(found.w), static_cast<float>(found.h),
                static_cast<float>(found.angle)};
  return line == Line::v1 ? regularized(box, convention) : box;
}

Box decode_distances(float x, float y, const float* distances, float angle,
                     AngleConvention convention) {
  const float c = std::cos(angle), s = std::sin(angle);  // of the angle as it is, not wrapped
  const float u = (distances[2] - distances[0]) / 2, v = (distances[3] - distances[1]) / 2;
  return {x + (u * c - v * s), y + (u * s + v * c), distances[0] + distances[2],
          distances[1] + distances[3], wrapped(angle, convention)};
}

}  // namespace grasppanda::models::mmrotate
