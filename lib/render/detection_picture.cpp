#include "lib/render/detection_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "lib/render/cloud_color.h"
#include "lib/render/font.h"
#include "lib/render/legend.h"
#include "lib/render/stroke.h"

namespace grasppanda::render {
namespace {

constexpr Color kGround{14, 16, 22}, kInk{240, 242, 246}, kQuiet{178, 186, 198};
constexpr int kGroundOpacity = 200;
constexpr std::size_t kMostClasses = 12;  // named in the legend

// Bright and well apart, so that they read on asphalt, grass and roofs under a dark outline.
constexpr std::array<Color, 20> kColors = {
    {{255, 92, 92},  {72, 202, 255},  {255, 196, 0},   {126, 231, 96},  {255, 128, 214},
     {255, 146, 43}, {151, 148, 255}, {0, 229, 184},   {255, 238, 112}, {255, 77, 141},
     {51, 154, 255}, {196, 240, 66},  {214, 132, 255}, {255, 170, 120}, {64, 224, 224},
     {230, 90, 255}, {186, 200, 255}, {255, 112, 67},  {118, 255, 160}, {240, 200, 160}}};

bool drawable(const DrawnBox& drawn) {
  const geometry::RotatedBox& b = drawn.box;
  const double reach = 1e7;
  return std::isfinite(b.angle) && std::abs(b.cx) < reach && std::abs(b.cy) < reach &&
         std::abs(b.w) < reach && std::abs(b.h) < reach;
}

/// Corners in pixels of the picture, whose centres lie at whole numbers.
geometry::Quad on_picture(const geometry::RotatedBox& box, double reduced) {
  geometry::Quad quad = geometry::corners(box);
  for (geometry::Vec2& corner : quad) {
    for (double& value : corner) value = value / reduced - 0.5;
  }
  return quad;
}

struct Row {
  Color color;
  std::string text;
};

std::vector<Row> class_rows(const DetectionPicture& picture) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const DrawnBox& drawn : picture.boxes) ++counts[drawn.class_index];
  std::vector<std::pair<std::int64_t, std::int64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Row> rows;
  for (const auto& [index, count] : order) {
    if (rows.size() == kMostClasses) break;
    const bool named = index >= 0 && index < static_cast<std::int64_t>(picture.classes.size());
    const std::string name =
        named ? picture.classes[static_cast<std::size_t>(index)] : "class " + std::to_string(index);
    rows.push_back({class_color(index), as_glyphs(name) + " " + std::to_string(count)});
  }
  if (order.size() > rows.size()) {
    rows.push_back({kGround, std::to_string(order.size() - rows.size()) + " more classes"});
  }
  return rows;
}

void draw_classes(Canvas& canvas, const DetectionPicture& picture,
                  const std::vector<std::array<double, 2>>& busy) {
  const int s = text_scale(canvas.width(), canvas.height());
  const std::int64_t pad = 5 * s, line = 13 * s, margin = 4 * s, swatch = 9 * s, gap = 5 * s;
  const auto glyphs = static_cast<std::size_t>(
      std::max<std::int64_t>((canvas.width() - 2 * (pad + margin)) / (kGlyphAdvance * s), 0));
  std::string name = as_glyphs(picture.name);
  const std::size_t most = std::min<std::size_t>(glyphs, 40);
  if (name.size() > most) name = most > 3 ? "..." + name.substr(name.size() - (most - 3)) : "";
  const std::size_t total = picture.boxes.size();
  const std::string count = total == 0   ? "no detections"
                            : total == 1 ? "1 detection"
                                         : std::to_string(total) + " detections";
  const std::vector<Row> rows = class_rows(picture);
  std::int64_t width = std::max(text_width(name.size(), s), text_width(count.size(), s));
  for (const Row& row : rows) {
    width = std::max(width, swatch + gap + text_width(row.text.size(), s));
  }
  width += 2 * pad;
  const auto lines = static_cast<std::int64_t>(rows.size()) + 1 + (name.empty() ? 0 : 1);
  const std::int64_t height = lines * line - 4 * s + 2 * pad + (rows.empty() ? 0 : 3 * s);
  const bool too_large = width > canvas.width() - 2 * margin ||
                         height > canvas.height() - 2 * margin ||
                         3 * width * height > canvas.width() * canvas.height();
  if (too_large) return;

  const Corner corner = quietest_corner(canvas, width, height, margin, busy);
  canvas.fill(corner.x, corner.y, width, height, kGround, kGroundOpacity);
  const std::int64_t x = corner.x + pad;
  std::int64_t y = corner.y + pad;
  if (!name.empty()) {
    draw_text(canvas, x, y, s, kInk, name);
    y += line;
  }
  draw_text(canvas, x, y, s, name.empty() ? kInk : kQuiet, count);
  y += line + 3 * s;
  for (const Row& row : rows) {
    canvas.fill(x, y - s, swatch, swatch, row.color);
    draw_text(canvas, x + swatch + gap, y, s, kInk, row.text);
    y += line;
  }
}

}  // namespace

Color class_color(std::int64_t class_index) {
  const auto count = static_cast<std::int64_t>(kColors.size());
  return kColors[static_cast<std::size_t>((class_index % count + count) % count)];
}

io::Image draw_detections(const DetectionPicture& picture) {
  if (picture.width < 1 || picture.height < 1) return Canvas(0, 0).take();
  const double reduced = std::max(picture.reduced, 1.0);
  Canvas canvas =
      picture.picture != nullptr
          ? Canvas(*picture.picture)
          : Canvas(
                static_cast<std::int64_t>(std::ceil(static_cast<double>(picture.width) / reduced)),
                static_cast<std::int64_t>(
                    std::ceil(static_cast<double>(picture.height) / reduced)));
  if (picture.picture == nullptr) paint_background(canvas);

  // Lines of a width that reads at the picture's size, and never hides a small vehicle.
  const double side = static_cast<double>(std::max(canvas.width(), canvas.height()));
  const StrokeStyle style{.radius = std::clamp(side / 1600, 0.75, 2.0),
                          .outline = std::clamp(side / 1600, 0.5, 1.25),
                          .core_opacity = 1.0,
                          .outline_opacity = 0.6};
  StrokeMask mask(canvas.width(), canvas.height());
  std::vector<std::array<double, 2>> busy;
  for (std::size_t i = picture.boxes.size(); i-- > 0;) {
    const DrawnBox& drawn = picture.boxes[i];
    if (!drawable(drawn)) continue;
    const geometry::Quad quad = on_picture(drawn.box, reduced);
    for (std::size_t k = 0; k < 4; ++k) mask.add(quad[k], quad[(k + 1) % 4], style);
    mask.paint(canvas, class_color(drawn.class_index), Color{0, 0, 0});
    // Along the outline, so that a legend cannot lie on a side without being seen to.
    constexpr int kPoints = 8;
    for (std::size_t k = 0; k < 4; ++k) {
      const geometry::Vec2 &from = quad[k], &to = quad[(k + 1) % 4];
      for (int i = 0; i < kPoints; ++i) {
        const double t = static_cast<double>(i) / kPoints;
        busy.push_back({from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])});
      }
    }
  }
  draw_classes(canvas, picture, busy);
  return std::move(canvas).take();
}

}  // namespace grasppanda::render
