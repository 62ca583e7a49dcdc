#include "lib/render/curve_picture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/render/font.h"
#include "lib/render/stroke.h"

namespace grasppanda::render {
namespace {

constexpr std::int64_t kSide = 640, kLeft = 70, kTop = 70, kPlot = 510;
constexpr Color kPaper = {255, 255, 255}, kInk = {30, 30, 40}, kGrid = {222, 224, 230};
constexpr Color kLine = {40, 84, 170}, kEnvelope = {244, 190, 120};

using Point = std::array<double, 2>;

Point place(double recall, double precision) {
  return {kLeft + std::clamp(recall, 0.0, 1.0) * kPlot,
          kTop + (1 - std::clamp(precision, 0.0, 1.0)) * kPlot};
}

void draw_axes(Canvas& canvas) {
  constexpr int kSteps = 5;
  for (int i = 0; i <= kSteps; ++i) {
    const std::int64_t offset = kPlot * i / kSteps;
    canvas.fill(kLeft + offset, kTop, 1, kPlot + 1, kGrid);
    canvas.fill(kLeft, kTop + offset, kPlot + 1, 1, kGrid);
    const std::string label = i == 0 ? "0" : i == kSteps ? "1" : "0." + std::to_string(2 * i);
    const std::int64_t wide = text_width(label.size(), 2);
    draw_text(canvas, kLeft + offset - wide / 2, kTop + kPlot + 10, 2, kInk, label);
    draw_text(canvas, kLeft - 10 - wide, kTop + kPlot - offset - 7, 2, kInk, label);
  }
  canvas.fill(kLeft, kTop, 2, kPlot + 2, kInk);
  canvas.fill(kLeft, kTop + kPlot, kPlot + 2, 2, kInk);
  const std::string recall = "recall", precision = "precision";
  draw_text(canvas, kLeft + kPlot - text_width(recall.size(), 2), kTop + kPlot + 34, 2, kInk,
            recall);
  draw_text(canvas, 8, kTop - 24, 2, kInk, precision);
}

void draw_line(Canvas& canvas, const std::vector<Point>& points, double radius, Color color) {
  StrokeMask mask(canvas.width(), canvas.height());
  const StrokeStyle style{.radius = radius, .outline = 0, .outline_opacity = 0};
  for (std::size_t i = 0; i + 1 < points.size(); ++i) mask.add(points[i], points[i + 1], style);
  mask.paint(canvas, color, color);
}

// What of a long curve a picture can show: one point a pixel column and both ends of its range.
std::vector<Point> thinned(std::span<const Point> points) {
  std::vector<Point> kept;
  double column = -1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double now = std::floor(place(points[i][0], 0)[0]);
    const bool last_of_column =
        i + 1 == points.size() || std::floor(place(points[i + 1][0], 0)[0]) != now;
    if (now != column || last_of_column) kept.push_back(points[i]);
    column = now;
  }
  return kept;
}

}  // namespace

Canvas draw_curve(const CurvePicture& curve) {
  Canvas canvas(kSide, kSide);
  canvas.fill(0, 0, kSide, kSide, kPaper);
  draw_text(canvas, kLeft, 10, 2, kInk, as_glyphs(curve.title));
  draw_text(canvas, kLeft + 120, kTop - 24, 1, kInk, as_glyphs(curve.note));
  draw_axes(canvas);
  if (curve.points.empty()) return canvas;
  std::vector<Point> line, envelope;
  for (const Point& point : thinned(curve.points)) line.push_back(place(point[0], point[1]));
  double best = 0;
  for (std::size_t i = curve.points.size(); i-- > 0;) {
    const auto [recall, precision] = curve.points[i];
    if (i + 1 == curve.points.size()) envelope.push_back(place(recall, 0));
    if (precision > best) {
      envelope.push_back(place(recall, best));
      best = precision;
      envelope.push_back(place(recall, best));
    }
  }
  envelope.push_back(place(0, best));
  draw_line(canvas, envelope, 2.5, kEnvelope);
  draw_line(canvas, line, 1.2, kLine);
  return canvas;
}

}  // namespace grasppanda::render
