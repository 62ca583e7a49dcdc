#include "lib/render/gripper_overlay.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "lib/render/gripper_shape.h"
#include "lib/render/stroke.h"

namespace grasppanda::render {
namespace {

using Pixel = std::array<double, 2>;

constexpr Color kOutline{18, 18, 24};
constexpr double kDash = 6, kGap = 8;  // of hidden parts, in pixels of a picture 720 high

// A straight piece of gripper on the picture: ends, and depth by linear interpolation of
// 1 / z in perspective, of z otherwise.
struct Piece {
  Pixel from, to;
  double key_from, key_to;
  double length() const { return std::hypot(to[0] - from[0], to[1] - from[1]); }
  Pixel at(double s) const {
    return {from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])};
  }
  Piece part(double s0, double s1) const {
    const auto key = [&](double s) { return key_from + s * (key_to - key_from); };
    return {at(s0), at(s1), key(s0), key(s1)};
  }
};

std::optional<Piece> project_piece(const View& view, geometry::Vec3 a, geometry::Vec3 b) {
  a = view.to_view(a);
  b = view.to_view(b);
  if (view.perspective) {
    if (a[2] < kNear && b[2] < kNear) return std::nullopt;
    const auto clip = [](geometry::Vec3& out, const geometry::Vec3& in) {
      if (out[2] >= kNear) return;
      const double s = (kNear - out[2]) / (in[2] - out[2]);
      for (std::size_t i = 0; i < 3; ++i) out[i] += s * (in[i] - out[i]);
      out[2] = kNear;
    };
    clip(a, b);
    clip(b, a);
  }
  Piece piece{view.project(a), view.project(b), a[2], b[2]};
  if (view.perspective) {
    piece.key_from = 1 / a[2];
    piece.key_to = 1 / b[2];
  }
  const bool finite = std::isfinite(piece.from[0]) && std::isfinite(piece.from[1]) &&
                      std::isfinite(piece.to[0]) && std::isfinite(piece.to[1]);
  return finite ? std::optional(piece) : std::nullopt;
}

// The part within `margin` of the picture (Liang and Barsky, 1984).
std::optional<Piece> clip_to_picture(const Piece& piece, const View& view, double margin) {
  double s0 = 0, s1 = 1;
  const std::array<double, 2> high = {static_cast<double>(view.width - 1) + margin,
                                      static_cast<double>(view.height - 1) + margin};
  for (std::size_t i = 0; i < 2; ++i) {
    const double step = piece.to[i] - piece.from[i];
    const double below = -margin - piece.from[i], above = high[i] - piece.from[i];
    if (step == 0) {
      if (below > 0 || above < 0) return std::nullopt;
      continue;
    }
    s0 = std::max(s0, std::min(below / step, above / step));
    s1 = std::min(s1, std::max(below / step, above / step));
  }
  if (!(s0 <= s1)) return std::nullopt;
  return piece.part(s0, s1);
}

// Whether each of the equal steps along a piece is hidden, single steps that differ from both
// sides (noise of the depth) smoothed away.
std::vector<bool> hidden_steps(const Piece& piece, int steps, const View& view,
                               const DepthBuffer& buffer) {
  std::vector<bool> raw(static_cast<std::size_t>(steps));
  for (int i = 0; i < steps; ++i) {
    const Piece here = piece.part((i + 0.5) / steps, 1);
    const std::int64_t x = std::lround(here.from[0]), y = std::lround(here.from[1]);
    if (x < 0 || y < 0 || x >= buffer.width || y >= buffer.height) continue;
    const double z = view.perspective ? 1 / here.key_from : here.key_from;
    raw[static_cast<std::size_t>(i)] =
        z > buffer.at(x, y) + kHiddenBehind + buffer.radius * view.pixel_size(z);
  }
  std::vector<bool> smooth = raw;
  for (int i = 0; i < steps; ++i) {
    int votes = 0;
    for (int k = i - 2; k <= i + 2; ++k)
      votes += raw[static_cast<std::size_t>(std::clamp(k, 0, steps - 1))];
    smooth[static_cast<std::size_t>(i)] = votes > 2;
  }
  return smooth;
}

class Painter {
 public:
  Painter(Canvas& canvas, const View& view, const DepthBuffer& buffer)
      : canvas_(canvas),
        view_(view),
        buffer_(buffer),
        mask_(canvas.width(), canvas.height()),
        scale_(std::clamp(static_cast<double>(std::min(view.width, view.height)) / 720, 0.5, 4.0)) {
  }

  void draw(const geometry::Grasp& grasp, double place) {
    // The best are a little bolder.
    const double t = std::isfinite(place) ? std::clamp(place, 0.0, 1.0) : 0.0;
    visible_.radius = scale_ * (1.1 + 0.7 * t);
    visible_.outline = std::max(0.75, scale_ * 1.25);
    hidden_ = visible_;
    hidden_.radius = scale_ * 0.8;
    hidden_.outline = scale_ * 0.75;
    hidden_.core_opacity = 0.45;
    hidden_.outline_opacity = 0.25;
    const GripperLines lines = gripper_lines(grasp);
    for (std::size_t i = 0; i + 1 < lines.fingers.size(); ++i)
      add(lines.fingers[i], lines.fingers[i + 1]);
    add(lines.handle[0], lines.handle[1]);
    mask_.paint(canvas_, score_color(t), kOutline);
  }

 private:
  void add(const geometry::Vec3& a, const geometry::Vec3& b) {
    const auto whole = project_piece(view_, a, b);
    if (!whole) return;
    const auto piece = clip_to_picture(*whole, view_, visible_.radius + visible_.outline + 1);
    if (!piece) return;
    const int steps = std::max(1, static_cast<int>(std::ceil(piece->length())));
    const std::vector<bool> hidden = hidden_steps(*piece, steps, view_, buffer_);
    for (int begin = 0, end; begin < steps; begin = end) {
      const bool now = hidden[static_cast<std::size_t>(begin)];
      for (end = begin; end < steps && hidden[static_cast<std::size_t>(end)] == now;) ++end;
      const Piece run =
          piece->part(static_cast<double>(begin) / steps, static_cast<double>(end) / steps);
      if (now)
        dash(run);
      else
        mask_.add(run.from, run.to, visible_);
    }
  }

  void dash(const Piece& run) {
    const double length = run.length();
    for (double at = 0; at < length; at += scale_ * (kDash + kGap))
      mask_.add(run.at(at / length), run.at(std::min(at + scale_ * kDash, length) / length),
                hidden_);
  }

  Canvas& canvas_;
  const View& view_;
  const DepthBuffer& buffer_;
  StrokeMask mask_;
  double scale_;
  StrokeStyle visible_, hidden_;
};

}  // namespace

void draw_grippers(Canvas& canvas, const View& view, const DepthBuffer& buffer,
                   std::span<const geometry::Grasp> grasps, const ScoreRange& range) {
  if (canvas.width() < 1 || canvas.height() < 1) return;
  Painter painter(canvas, view, buffer);
  for (std::size_t i = grasps.size(); i-- > 0;)
    painter.draw(grasps[i], range.place(grasps[i].score));
}

std::vector<std::array<double, 2>> gripper_pixels(const View& view,
                                                  std::span<const geometry::Grasp> grasps) {
  std::vector<std::array<double, 2>> out;
  for (const auto& grasp : grasps) {
    const GripperLines lines = gripper_lines(grasp);
    for (const auto& [a, b] : {std::pair{lines.fingers[0], lines.fingers[1]},
                               {lines.fingers[2], lines.fingers[3]},
                               {lines.handle[0], lines.handle[1]}})
      if (const auto piece = project_piece(view, a, b))
        out.insert(out.end(), {piece->from, piece->to});
  }
  return out;
}

}  // namespace grasppanda::render
