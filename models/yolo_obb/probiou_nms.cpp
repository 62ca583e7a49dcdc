#include "models/yolo_obb/probiou_nms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace grasppanda::models::yolo_obb {

namespace {

constexpr float kEps = 1e-7F;
constexpr std::size_t kMostCandidates = 30000;
constexpr float kClassOffset = 7680;  // pixels, added to both coordinates per class

/// A box as a Gaussian.
struct Gaussian {
  float x, y;
  float a, b, q;      // covariance [a q; q b]
  float determinant;  // max(a b - q^2, 0)
  float spread;       // w^2 + h^2; 12 times the trace
  bool thin;          // so small or narrow that epsilons and rounding count
};

Gaussian gaussian(const Candidate& box, float offset) {
  const float w2 = box.w * box.w, h2 = box.h * box.h;
  const float wide = w2 / 12, high = h2 / 12;
  const float c = std::cos(box.angle), s = std::sin(box.angle);
  Gaussian g{};
  g.x = box.cx + offset;
  g.y = box.cy + offset;
  g.a = wide * (c * c) + high * (s * s);
  g.b = wide * (s * s) + high * (c * c);
  g.q = (wide - high) * c * s;
  g.determinant = std::max(g.a * g.b - g.q * g.q, 0.0F);
  g.spread = w2 + h2;
  const float least = std::min(w2, h2);
  g.thin = !(least >= 1) || g.spread > 1e4F * least;
  return g;
}

float similarity(const Gaussian& one, const Gaussian& two) {
  const float a = one.a + two.a, b = one.b + two.b, q = one.q + two.q;
  const float dx = one.x - two.x, dy = one.y - two.y;
  const float d = a * b - q * q;
  const float t1 = (a * (dy * dy) + b * (dx * dx)) / (d + kEps) * 0.25F;
  const float t2 = q * (-dx) * dy / (d + kEps) * 0.5F;
  const float root = std::sqrt(one.determinant * two.determinant);
  const float t3 = std::log(d / (4 * root + kEps) + kEps) * 0.5F;
  const float distance = std::clamp(t1 + t2 + t3, kEps, 100.0F);
  const float similar = 1 - std::sqrt(1.0F - std::exp(-distance) + kEps);
  return std::isnan(similar) ? 0.0F : similar;
}

/// The pairs that can be skipped: T1 + T2 is at least 3 d^2 / (spread of both), T3 at least about
/// 0, and beyond some distance of the Gaussians no similarity exceeds the threshold.
float reach_of(float iou) {
  const double rest = 1.0 - static_cast<double>(iou);
  const double least = 1.0 - rest * rest;  // exp(-distance) of a pair at the threshold
  if (!(least > 0)) return std::numeric_limits<float>::infinity();
  return static_cast<float>((-std::log(least) + 0.01) * 1.05 / 3);
}

bool surely_apart(const Gaussian& one, const Gaussian& two, float reach) {
  if (one.thin || two.thin) return false;
  const float dx = one.x - two.x, dy = one.y - two.y;
  return dx * dx + dy * dy > reach * (one.spread + two.spread);
}

}  // namespace

float probiou(const Candidate& a, const Candidate& b) {
  return similarity(gaussian(a, 0), gaussian(b, 0));
}

std::vector<std::size_t> by_falling_score(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].score > candidates[b].score;
  });
  return order;
}

std::vector<std::size_t> suppress_by_probiou(const std::vector<Candidate>& candidates,
                                             const SuppressionSettings& settings) {
  std::vector<std::size_t> order = by_falling_score(candidates);
  if (order.size() > kMostCandidates) order.resize(kMostCandidates);
  const float reach = reach_of(settings.iou);
  // Offsets of 7680 pixels keep classes apart, so each needs only its own.
  std::unordered_map<std::int32_t, std::vector<Gaussian>> better;
  std::vector<std::size_t> kept;
  for (const std::size_t index : order) {
    if (static_cast<std::int64_t>(kept.size()) == settings.max_detections) break;
    const Candidate& candidate = candidates[index];
    const std::int32_t group = settings.class_agnostic ? 0 : candidate.class_index;
    const Gaussian own = gaussian(candidate, kClassOffset * static_cast<float>(group));
    std::vector<Gaussian>& others = better[group];
    const bool removed = std::any_of(others.begin(), others.end(), [&](const Gaussian& other) {
      return !surely_apart(other, own, reach) && similarity(other, own) > settings.iou;
    });
    if (!removed) kept.push_back(index);
    others.push_back(own);
  }
  return kept;
}

}  // namespace grasppanda::models::yolo_obb
