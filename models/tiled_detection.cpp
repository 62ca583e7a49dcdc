#include "models/tiled_detection.h"

#include <ATen/ATen.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "lib/ops/rotated/rotated_nms.h"

namespace grasppanda::models {

namespace {

/// Origins along one side.
std::vector<std::int64_t> origins(std::int64_t length, const TilingSettings& settings) {
  std::vector<std::int64_t> result;
  const std::int64_t step = settings.window - settings.overlap;
  for (std::int64_t at = 0;; at += step) {
    if (at + settings.window >= length) {
      result.push_back(std::max<std::int64_t>(length - settings.window, 0));
      return result;
    }
    result.push_back(at);
  }
}

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
  Band(std::int64_t width, std::int64_t rows, const ReadRows& read)
      : pixels_(at::empty({rows, width, 3}, at::kByte)), read_(read) {}

  void slide_to(std::int64_t top, std::int64_t rows) {
    auto* data = pixels_.mutable_data_ptr<std::uint8_t>();
    const auto row_bytes = static_cast<std::size_t>(pixels_.size(1) * 3);
    const std::int64_t kept = std::max<std::int64_t>(top_ + filled_ - top, 0);
    if (top != top_ && kept > 0) {
      std::memmove(data, data + static_cast<std::size_t>(top - top_) * row_bytes,
                   static_cast<std::size_t>(kept) * row_bytes);
    }
    top_ = top;
    filled_ = std::min(kept, rows);
    if (filled_ < rows) {
      read_(rows - filled_, data + static_cast<std::size_t>(filled_) * row_bytes);
      filled_ = rows;
    }
  }
  at::Tensor columns(std::int64_t x, std::int64_t width) const {
    return pixels_.narrow(0, 0, filled_).narrow(1, x, width).contiguous();
  }

 private:
  at::Tensor pixels_;
  const ReadRows& read_;
  std::int64_t top_ = 0, filled_ = 0;
};

std::vector<Detection> joined(std::vector<Detection> all, const TilingSettings& settings) {
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
  options.degenerate = ops::DegenerateBoxes::keep;
  const at::Tensor kept =
      ops::rotated_nms(boxes, scores, options, settings.class_agnostic ? at::Tensor() : labels)
          .to(at::kCPU);
  std::vector<Detection> result;
  for (std::int64_t i = 0; i < kept.size(0); ++i) {
    result.push_back(all[static_cast<std::size_t>(kept.const_data_ptr<std::int64_t>()[i])]);
  }
  return result;
}

/// Moves a tile's detections into the picture and adds up what it says.
void take_tile(const Window& window, DetectionOutput& found, TiledOutput& output,
               std::vector<Detection>& all) {
  Accounting& accounting = output.joined.accounting;
  for (Detection& detection : found.detections) {
    detection.box.cx += static_cast<double>(window[0]);
    detection.box.cy += static_cast<double>(window[1]);
    all.push_back(detection);
  }
  for (const auto& [name, count] : found.accounting.counts) add_to(accounting.counts, name, count);
  for (const auto& [name, time] : found.accounting.seconds) add_to(accounting.seconds, name, time);
  for (std::string& warning : found.accounting.warnings) {
    accounting.warnings.push_back(std::move(warning));
  }
  output.joined.figures = std::move(found.figures);  // equal for all tiles
  output.tiles.push_back({window, std::move(found.accounting.counts)});
}

}  // namespace

TilingSettings tiling_settings(const config::Config& config) {
  TilingSettings settings{.window = config.integer("detect.tiling.window"),
                          .overlap = config.integer("detect.tiling.overlap"),
                          .min_side = config.integer("detect.tiling.min_side"),
                          .merge_iou = config.number("detect.tiling.merge_iou"),
                          .class_agnostic = config.boolean("detect.nms.class_agnostic")};
  if (settings.overlap >= settings.window) {
    throw std::invalid_argument("detect.tiling: an overlap of " + std::to_string(settings.overlap) +
                                " pixels leaves windows of " + std::to_string(settings.window) +
                                " no step; make it smaller than the window");
  }
  return settings;
}

std::vector<Window> tile_windows(std::int64_t width, std::int64_t height,
                                 const TilingSettings& settings) {
  std::vector<Window> windows;
  for (const std::int64_t y : origins(height, settings)) {
    for (const std::int64_t x : origins(width, settings)) {
      windows.push_back(
          {x, y, std::min(settings.window, width), std::min(settings.window, height)});
    }
  }
  return windows;
}

TiledOutput detect_tiled(Detector& detector, std::int64_t width, std::int64_t height,
                         const ReadRows& read, const TilingSettings& settings,
                         const TileProgress& progress, const StageObserver& observe) {
  const std::vector<Window> windows = tile_windows(width, height, settings);
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  TiledOutput output;
  Accounting& accounting = output.joined.accounting;
  Band band(width, std::min(settings.window, height), read);
  std::vector<Detection> all;
  // Stages are those of one tile.
  const std::size_t batch = observe ? 1 : std::max<std::size_t>(settings.batch, 1);
  for (std::size_t first = 0; first < windows.size();) {
    if (progress) progress(first, windows.size());
    const Clock::time_point begin = Clock::now();
    std::vector<at::Tensor> tiles;
    const std::int64_t top = windows[first][1];
    band.slide_to(top, windows[first][3]);
    while (tiles.size() < batch && first + tiles.size() < windows.size() &&
           windows[first + tiles.size()][1] == top) {
      const Window& window = windows[first + tiles.size()];
      tiles.push_back(band.columns(window[0], window[2]));
    }
    add_to(accounting.seconds, "read", seconds(begin));
    StageObserver of_tile;
    if (observe) {
      of_tile = [&observe, first](const std::string& stage, const at::Tensor& value) {
        observe("tile_" + std::to_string(first) + "/" + stage, value);
      };
    }
    for (DetectionOutput& found : detector.detect(tiles, of_tile)) {
      take_tile(windows[first++], found, output, all);
    }
  }
  const Clock::time_point begin = Clock::now();
  accounting.counts.emplace_back("tile_detections", static_cast<std::int64_t>(all.size()));
  output.joined.detections = joined(std::move(all), settings);
  accounting.counts.emplace_back("after_merge",
                                 static_cast<std::int64_t>(output.joined.detections.size()));
  add_to(accounting.seconds, "postprocess", seconds(begin));
  return output;
}

}  // namespace grasppanda::models
