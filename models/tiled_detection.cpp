#include "models/tiled_detection.h"

#include <ATen/ATen.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "lib/ops/rotated/rotated_nms.h"

namespace grasppanda::models {

namespace {

template <class Number>
void add_to(std::vector<std::pair<std::string, Number>>& sums, const std::string& name,
            Number value) {
  for (auto& [known, sum] : sums) {
    if (known == name) {
      sum += value;
      return;
    }
  }
  sums.emplace_back(name, value);
}

/// Rows [top, top + filled) of the picture; slides down as windows do.
class Band {
 public:
  Band(std::int64_t width, std::int64_t height, std::int64_t rows, const ReadRows& read)
      : pixels_(at::empty({rows, width, 3}, at::kByte)), height_(height), read_(read) {}

  /// `top` never goes back; rows that a larger window read stay.
  void slide_to(std::int64_t top, std::int64_t rows) {
    auto* data = pixels_.mutable_data_ptr<std::uint8_t>();
    const auto row_bytes = static_cast<std::size_t>(pixels_.size(1) * 3);
    const std::int64_t kept = std::max<std::int64_t>(top_ + filled_ - top, 0);
    if (top != top_ && kept > 0) {
      std::memmove(data, data + static_cast<std::size_t>(top - top_) * row_bytes,
                   static_cast<std::size_t>(kept) * row_bytes);
    }
    // Rows between two bands are read over.
    for (std::int64_t skipped = top_ + filled_; skipped < top;) {
      const std::int64_t some = std::min(top - skipped, pixels_.size(0));
      read_(some, data);
      skipped += some;
    }
    top_ = top;
    filled_ = kept;
    const std::int64_t wanted = std::min(rows, height_ - top);
    if (filled_ < wanted) {
      read_(wanted - filled_, data + static_cast<std::size_t>(filled_) * row_bytes);
      filled_ = wanted;
    }
  }
  /// (height, width, 3) of a window at the band's top, black beyond the picture.
  at::Tensor window(const Window& at) const {
    const std::int64_t width = std::min(at[2], pixels_.size(1) - at[0]);
    const std::int64_t height = std::min(at[3], height_ - at[1]);
    const at::Tensor inside = pixels_.narrow(0, 0, height).narrow(1, at[0], width);
    if (width == at[2] && height == at[3]) return inside.contiguous();
    at::Tensor tile = at::zeros({at[3], at[2], 3}, at::kByte);
    tile.narrow(0, 0, height).narrow(1, 0, width).copy_(inside);
    return tile;
  }

 private:
  at::Tensor pixels_;
  std::int64_t height_;
  const ReadRows& read_;
  std::int64_t top_ = 0, filled_ = 0;
};

/// Along the sides of windows that other windows lie beyond.
struct IgnoredMargin {
  double margin;
  std::int64_t width, height;  // of the picture

  bool holds(const geometry::RotatedBox& box, const Window& window) const {
    const auto near_end = [&](double centre, std::int64_t begin, std::int64_t length,
                              std::int64_t whole) {
      return (begin > 0 && centre < margin) ||
             (begin + length < whole && centre >= static_cast<double>(length) - margin);
    };
    return margin > 0 && (near_end(box.cx, window[0], window[2], width) ||
                          near_end(box.cy, window[1], window[3], height));
  }
};

/// What the windows found, in their order, whatever the order in which they were looked at.
class Findings {
 public:
  Findings(const std::vector<Window>& windows, const IgnoredMargin& margin)
      : windows_(windows), margin_(margin), found_(windows.size()), tiles_(windows.size()) {}

  /// Moves a tile's detections into the picture and adds up what it says.
  void take(std::size_t place, DetectionOutput found, Accounting& accounting) {
    const Window& window = windows_[place];
    for (Detection& detection : found.detections) {
      if (margin_.holds(detection.box, window)) {
        ++ignored_;
        continue;
      }
      detection.box.cx += static_cast<double>(window[0]);
      detection.box.cy += static_cast<double>(window[1]);
      found_[place].push_back(detection);
    }
    for (const auto& [name, count] : found.accounting.counts)
      add_to(accounting.counts, name, count);
    for (const auto& [name, time] : found.accounting.seconds)
      add_to(accounting.seconds, name, time);
    for (std::string& warning : found.accounting.warnings) {
      accounting.warnings.push_back(std::move(warning));
    }
    figures_ = std::move(found.figures);  // of the last tile: equal for all of one size
    tiles_[place] = {window, std::move(found.accounting.counts)};
  }
  TiledOutput joined(Accounting accounting, const TilingSettings& settings) && {
    std::vector<Detection> all;
    for (std::vector<Detection>& some : found_) all.insert(all.end(), some.begin(), some.end());
    const auto count = [&](const char* name, std::size_t value) {
      accounting.counts.emplace_back(name, static_cast<std::int64_t>(value));
    };
    count("tile_detections", all.size() + ignored_);
    if (settings.ignore_margin > 0) count("outside_margin", all.size());
    TiledOutput output;
    output.joined.detections = join_tiles(std::move(all), settings);
    count("after_merge", output.joined.detections.size());
    output.joined.accounting = std::move(accounting);
    output.joined.figures = std::move(figures_);
    output.tiles = std::move(tiles_);
    return output;
  }

 private:
  const std::vector<Window>& windows_;
  IgnoredMargin margin_;
  std::vector<std::vector<Detection>> found_;
  std::vector<TileRecord> tiles_;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> figures_;
  std::size_t ignored_ = 0;
};

/// Windows from top to bottom, those of one top and one size together.
std::vector<std::size_t> reading_order(const std::vector<Window>& windows) {
  std::vector<std::size_t> order(windows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return windows[a][1] != windows[b][1] ? windows[a][1] < windows[b][1]
                                          : windows[a][3] < windows[b][3];
  });
  return order;
}

}  // namespace

std::vector<Detection> join_tiles(std::vector<Detection> all, const TilingSettings& settings) {
  const auto count = static_cast<std::int64_t>(all.size());
  if (count == 0) return all;
  at::Tensor boxes = at::empty({count, 5}, at::kDouble);
  at::Tensor scores = at::empty({count}, at::kFloat), labels = at::empty({count}, at::kLong);
  auto* box = boxes.mutable_data_ptr<double>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const geometry::RotatedBox& b = all[i].box;
    for (const double value : {b.cx, b.cy, b.w, b.h, b.angle}) *box++ = value;
    scores.mutable_data_ptr<float>()[i] = all[i].score;
    labels.mutable_data_ptr<std::int64_t>()[i] = all[i].class_index;
  }
  ops::RotatedNmsOptions options;
  options.iou_threshold = settings.merge_iou;
  options.at_equality = settings.filled;
  options.degenerate = ops::DegenerateBoxes::keep;
  // MMRotate keeps places in float32.
  if (settings.filled) boxes = boxes.to(at::kFloat);
  const at::Tensor kept =
      ops::rotated_nms(boxes, scores, options, settings.class_agnostic ? at::Tensor() : labels)
          .to(at::kCPU);
  std::vector<Detection> result;
  for (std::int64_t i = 0; i < kept.size(0); ++i) {
    result.push_back(all[static_cast<std::size_t>(kept.const_data_ptr<std::int64_t>()[i])]);
  }
  return result;
}

TiledOutput detect_tiled(Detector& detector, std::int64_t width, std::int64_t height,
                         const ReadRows& read, const TilingSettings& settings,
                         const TileProgress& progress, const StageObserver& observe) {
  const std::vector<Window> windows = tile_windows(width, height, settings);
  const std::vector<std::size_t> order = reading_order(windows);
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  std::int64_t tallest = 1;
  for (const Window& window : windows) tallest = std::max(tallest, std::min(window[3], height));
  Band band(width, height, tallest, read);
  Accounting accounting;
  Findings findings(windows, {settings.ignore_margin, width, height});
  // Stages are those of one tile.
  const std::size_t batch = observe ? 1 : std::max<std::size_t>(settings.batch, 1);
  for (std::size_t done = 0; done < order.size();) {
    if (progress) progress(done, order.size());
    const Clock::time_point begin = Clock::now();
    std::vector<at::Tensor> tiles;
    const Window& first = windows[order[done]];
    band.slide_to(first[1], first[3]);
    while (tiles.size() < batch && done + tiles.size() < order.size()) {
      const Window& next = windows[order[done + tiles.size()]];
      if (next[1] != first[1] || next[2] != first[2] || next[3] != first[3]) break;
      tiles.push_back(band.window(next));
    }
    add_to(accounting.seconds, "read", seconds(begin));
    StageObserver of_tile;
    if (observe) {
      of_tile = [&observe, place = order[done]](const std::string& stage, const at::Tensor& value) {
        observe("tile_" + std::to_string(place) + "/" + stage, value);
      };
    }
    for (DetectionOutput& found : detector.detect(tiles, of_tile)) {
      findings.take(order[done++], std::move(found), accounting);
    }
  }
  const Clock::time_point begin = Clock::now();
  TiledOutput output = std::move(findings).joined(std::move(accounting), settings);
  add_to(output.joined.accounting.seconds, "postprocess", seconds(begin));
  return output;
}

}  // namespace grasppanda::models
