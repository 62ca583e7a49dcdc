#include "lib/datasets/dota_merge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

#include "lib/datasets/decimal_text.h"
#include "lib/geometry/quad_overlap.h"
#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

struct Tile {
  std::string image;
  double rate = 1, x = 0, y = 0;
};

// "P0001__1.0__824___0".
std::optional<Tile> tile_from(std::string_view name) {
  const std::size_t image_end = name.find("__");
  const std::size_t y_mark = name.rfind("___");
  if (image_end == name.npos || y_mark == name.npos || y_mark < image_end) return {};
  const std::size_t x_mark = name.rfind("__", y_mark - 1);
  if (x_mark == name.npos || x_mark <= image_end) return {};
  std::size_t rate_mark = name.rfind("__", x_mark - 1);
  if (rate_mark == name.npos || rate_mark < image_end) return {};
  Tile tile;
  tile.image = name.substr(0, image_end);
  const bool read =
      io::parse_number(name.substr(rate_mark + 2, x_mark - rate_mark - 2), tile.rate) &&
      io::parse_number(name.substr(x_mark + 2, y_mark - x_mark - 2), tile.x) &&
      io::parse_number(name.substr(y_mark + 3), tile.y);
  if (!read || !(tile.rate > 0) || !std::isfinite(tile.rate) || !std::isfinite(tile.x) ||
      !std::isfinite(tile.y)) {
    return {};
  }
  return tile;
}

Tile tile_of(const std::string& row_name, const std::string& file) {
  const std::optional<Tile> tile = tile_from(row_name);
  if (!tile) {
    throw io::FormatError(file + ": " + io::in_quotes(row_name) +
                          " is no tile; wanted IMAGE__RATE__X___Y");
  }
  return *tile;
}

void to_image(DotaDetection& row, const Tile& tile) {
  for (geometry::Vec2& corner : row.corners) {
    corner = {(corner[0] + tile.x) / tile.rate, (corner[1] + tile.y) / tile.rate};
  }
}
void to_image(HorizontalDetection& row, const Tile& tile) {
  for (std::size_t i = 0; i < 4; ++i) {
    row.box[i] = (row.box[i] + (i % 2 == 0 ? tile.x : tile.y)) / tile.rate;
  }
}

// A row made ready for comparing it with others, and what it takes along x.
struct PreparedPolygon {
  explicit PreparedPolygon(const DotaDetection& row) : quad(row.corners) {}
  double begin() const { return quad.bounds()[0]; }
  double end() const { return quad.bounds()[2]; }
  geometry::PreparedQuad quad;
};
struct PreparedBox {
  explicit PreparedBox(const HorizontalDetection& row) : box(row.box) {}
  double begin() const { return box[0]; }
  double end() const { return box[2] + 1; }
  std::array<double, 4> box;
};

// Boxes around both that share no area never suppress; that is what overlap() answers, too.
double overlap_of(const PreparedPolygon& a, const PreparedPolygon& b) {
  return overlap(a.quad, b.quad);
}
double overlap_of(const PreparedBox& a, const PreparedBox& b) {
  const auto area = [](const std::array<double, 4>& q) {
    return (q[2] - q[0] + 1) * (q[3] - q[1] + 1);
  };
  const double w = std::min(a.box[2], b.box[2]) - std::max(a.box[0], b.box[0]) + 1;
  const double h = std::min(a.box[3], b.box[3]) - std::max(a.box[1], b.box[1]) + 1;
  if (!(w > 0 && h > 0)) return 0;
  return w * h / (area(a.box) + area(b.box) - w * h);
}

// Finds the rows that may meet another one, by where they begin along x.
template <class Prepared>
class RowsAlongX {
 public:
  explicit RowsAlongX(const std::vector<Prepared>& rows) : order_(rows.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return rows[i].begin(); });
    for (const std::size_t i : order_) {
      begins_.push_back(rows[i].begin());
      widest_ = std::max(widest_, rows[i].end() - rows[i].begin());
    }
  }

  /// A few too many rather than one too few.
  std::span<const std::size_t> near(const Prepared& row) const {
    const double margin = 1e-9 * (1 + std::abs(row.begin()) + std::abs(row.end()) + widest_);
    const auto first = std::ranges::lower_bound(begins_, row.begin() - widest_ - margin);
    const auto last = std::ranges::upper_bound(begins_, row.end() + margin);
    if (last <= first) return {};
    return std::span(order_).subspan(static_cast<std::size_t>(first - begins_.begin()),
                                     static_cast<std::size_t>(last - first));
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<double> begins_;
  double widest_ = 0;
};

template <class Prepared, class Row>
std::vector<Row> merged(std::vector<Row> rows, double iou, const std::string& name) {
  std::vector<std::vector<std::size_t>> images;
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Tile tile = tile_of(rows[i].image, name);
    to_image(rows[i], tile);
    rows[i].image = tile.image;
    const auto [found, is_new] = place.emplace(tile.image, images.size());
    if (is_new) images.emplace_back();
    images[found->second].push_back(i);
  }
  std::vector<Row> result;
  for (std::vector<std::size_t>& order : images) {
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return rows[i].score; });
    std::vector<Prepared> prepared;
    for (const std::size_t i : order) prepared.emplace_back(rows[i]);
    const RowsAlongX<Prepared> along(prepared);
    std::vector<bool> dropped(order.size(), false);
    for (std::size_t a = 0; a < order.size(); ++a) {
      if (dropped[a]) continue;
      result.push_back(rows[order[a]]);
      for (const std::size_t b : along.near(prepared[a])) {
        if (b > a && !dropped[b] && overlap_of(prepared[a], prepared[b]) > iou) dropped[b] = true;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<HorizontalDetection> parse_task2(std::string_view text, const std::string& name) {
  std::vector<HorizontalDetection> rows;
  io::TextLines lines(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string_view image = io::next_word(rest);
    if (image.empty()) continue;
    HorizontalDetection row{std::string(image), 0, {}};
    bool good = io::parse_number(io::next_word(rest), row.score) && std::isfinite(row.score);
    for (double& value : row.box) {
      good = good && io::parse_number(io::next_word(rest), value) && std::isfinite(value);
    }
    if (!good || !io::next_word(rest).empty()) {
      throw io::FormatError(name + ":" + std::to_string(lines.number()) + ": " +
                            io::in_quotes(line) + " is no result; wanted image score x1 y1 x2 y2");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<DotaDetection> merge_tiles(std::vector<DotaDetection> rows, double iou,
                                       const std::string& name) {
  return merged<PreparedPolygon>(std::move(rows), iou, name);
}

std::vector<HorizontalDetection> merge_tiles(std::vector<HorizontalDetection> rows, double iou,
                                             const std::string& name) {
  return merged<PreparedBox>(std::move(rows), iou, name);
}

std::string result_text(const std::vector<DotaDetection>& rows) {
  std::string text;
  for (const DotaDetection& row : rows) {
    text += row.image + " " + decimal_text(row.score);
    for (const geometry::Vec2& corner : row.corners) {
      text += " " + decimal_text(corner[0]) + " " + decimal_text(corner[1]);
    }
    text += "\n";
  }
  return text;
}

std::string result_text(const std::vector<HorizontalDetection>& rows) {
  std::string text;
  for (const HorizontalDetection& row : rows) {
    text += row.image + " " + decimal_text(row.score);
    for (const double value : row.box) text += " " + decimal_text(value);
    text += "\n";
  }
  return text;
}

}  // namespace grasppanda::datasets
