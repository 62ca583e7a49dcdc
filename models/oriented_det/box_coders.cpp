#include "models/oriented_det/box_coders.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace grasppanda::models::oriented_det {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kHalfPi = kPi / 2;
constexpr float kRegionRatio = 4.135166556742356F;    // |ln(16 / 1000)|
constexpr float kProposalRatio = 2.772588722239781F;  // ln 16
constexpr float kTiny = 1e-8F;

float floored_modulo(float value, float divisor) {
  const float rest = std::fmod(value, divisor);
  return rest < 0 ? rest + divisor : rest;
}

/// NaN passes.
float limited(float value, float most) {
  return value < -most ? -most : value > most ? most : value;
}

Box turned_unless_longer(Box box) {
  if (box.w > box.h) return box;
  std::swap(box.w, box.h);
  box.angle = floored_modulo(box.angle + kHalfPi + kHalfPi, kPi) - kHalfPi;
  return box;
}

}  // namespace

Box in_le90(Box box) {
  box.angle -= std::floor((box.angle + kHalfPi) / kPi) * kPi;
  if (box.w < box.h) {
    std::swap(box.w, box.h);
    box.angle += kHalfPi;
  }
  box.angle = floored_modulo(box.angle + kHalfPi, kPi) - kHalfPi;
  return box;
}

Box decode_rotated(const Box& prior, const float* deltas, const DeltaCoder& coder) {
  const float dx = deltas[0] * coder.stds[0], dy = deltas[1] * coder.stds[1];
  float turn = deltas[4] * coder.stds[4];
  if (coder.angle_factor) turn *= *coder.angle_factor * kPi;
  Box box{};
  if (coder.projected) {
    const float c = std::cos(prior.angle), s = std::sin(prior.angle);
    box.cx = prior.cx + (dx * prior.w * c - dy * prior.h * s);
    box.cy = prior.cy + (dx * prior.w * s + dy * prior.h * c);
  } else {
    box.cx = prior.cx + dx * prior.w;
    box.cy = prior.cy + dy * prior.h;
  }
  box.w = prior.w * std::exp(deltas[2] * coder.stds[2]);
  box.h = prior.h * std::exp(deltas[3] * coder.stds[3]);
  const float angle = prior.angle + turn;
  box.angle = std::atan2(std::sin(angle), std::cos(angle));
  if (coder.edge_swap) box = turned_unless_longer(box);
  return in_le90(box);
}

Box decode_region(const Bounds& region, const float* deltas) {
  constexpr std::array<float, 5> kStds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F};
  constexpr float kAngleFactor = 2;
  constexpr float kLeastSide = 1e-6F;
  const float w = std::max(region.x2 - region.x1, kLeastSide);
  const float h = std::max(region.y2 - region.y1, kLeastSide);
  Box box{};
  box.cx = (region.x1 + region.x2) * 0.5F + deltas[0] * kStds[0] * w;
  box.cy = (region.y1 + region.y2) * 0.5F + deltas[1] * kStds[1] * h;
  box.w = w * std::exp(limited(deltas[2] * kStds[2], kRegionRatio));
  box.h = h * std::exp(limited(deltas[3] * kStds[3], kRegionRatio));
  const float turn = deltas[4] * kStds[4] * (kAngleFactor * kPi);
  box.angle = floored_modulo(turn + kHalfPi, kPi) - kHalfPi;
  return in_le90(turned_unless_longer(box));
}

Bounds decode_horizontal(const Box& anchor, const float* deltas) {
  const float x = anchor.cx + deltas[0] * anchor.w, y = anchor.cy + deltas[1] * anchor.h;
  const float w = anchor.w * std::exp(limited(deltas[2], kProposalRatio));
  const float h = anchor.h * std::exp(limited(deltas[3], kProposalRatio));
  return {x - 0.5F * w, y - 0.5F * h, x + 0.5F * w, y + 0.5F * h};
}

Box decode_midpoint(const Bounds& anchor, const float* deltas) {
  constexpr float kMidpointStd = 0.5F;
  const float aw = anchor.x2 - anchor.x1, ah = anchor.y2 - anchor.y1;
  const float x = (anchor.x1 + anchor.x2) * 0.5F + aw * deltas[0];
  const float y = (anchor.y1 + anchor.y2) * 0.5F + ah * deltas[1];
  const float w = aw * std::exp(limited(deltas[2], kRegionRatio));
  const float h = ah * std::exp(limited(deltas[3], kRegionRatio));
  const float a = limited(deltas[4] * kMidpointStd, 0.5F) * w;
  const float b = limited(deltas[5] * kMidpointStd, 0.5F) * h;
  const std::array<std::array<float, 2>, 4> ray = {
      {{a, -0.5F * h}, {0.5F * w, b}, {-a, 0.5F * h}, {-0.5F * w, -b}}};
  std::array<float, 4> length{};
  for (std::size_t i = 0; i < 4; ++i) {
    length[i] = std::sqrt(ray[i][0] * ray[i][0] + ray[i][1] * ray[i][1] + kTiny);
  }
  const float longest = *std::max_element(length.begin(), length.end());
  std::array<std::array<float, 2>, 4> corner{};
  Box box{};
  for (std::size_t i = 0; i < 4; ++i) {
    const float stretch = longest / (length[i] + kTiny);
    corner[i] = {x + ray[i][0] * stretch, y + ray[i][1] * stretch};
    box.cx += corner[i][0] / 4;
    box.cy += corner[i][1] / 4;
  }
  const auto side = [&](std::size_t from, std::size_t to) {
    return std::array<float, 2>{corner[to][0] - corner[from][0], corner[to][1] - corner[from][1]};
  };
  const auto [ux, uy] = side(0, 1);
  const auto [vx, vy] = side(1, 2);
  box.w = std::sqrt(ux * ux + uy * uy + kTiny);
  box.h = std::sqrt(vx * vx + vy * vy + kTiny);
  box.angle = std::atan2(uy, ux + kTiny);
  return in_le90(box);
}

Box decode_distances(float x, float y, const float* distances, float angle) {
  const float c = std::cos(angle), s = std::sin(angle);  // of the angle as it is, not wrapped
  const float u = (distances[2] - distances[0]) * 0.5F, v = (distances[3] - distances[1]) * 0.5F;
  return in_le90({x + (c * u - s * v), y + (s * u + c * v), distances[0] + distances[2],
                  distances[1] + distances[3], angle});
}

}  // namespace grasppanda::models::oriented_det
