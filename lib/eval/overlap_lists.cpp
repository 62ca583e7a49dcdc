#include "lib/eval/overlap_lists.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "lib/eval/errors.h"
#include "lib/eval/parallel_items.h"

namespace grasppanda::eval {
namespace {

// The objects of one image, sorted by where they begin along x.
struct ImageTruth {
  std::vector<std::int32_t> objects;
  std::vector<double> begins;
  double widest = 0;
};

std::optional<geometry::RotatedBox> fitted_box(const geometry::Quad& corners) {
  try {
    return geometry::box_of_quad(corners);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// Boxes of one image with their places in ClassBoxes.
struct ImageBoxes {
  std::vector<geometry::RotatedBox> detections, objects;
  std::vector<std::size_t> detection_places;
  std::vector<std::int32_t> object_places;
};

std::map<std::int64_t, ImageBoxes> boxes_by_image(const ClassBoxes& boxes) {
  std::map<std::int64_t, ImageBoxes> images;
  for (std::size_t i = 0; i < boxes.truth.size(); ++i) {
    if (const auto box = fitted_box(boxes.truth[i].corners)) {
      ImageBoxes& image = images[boxes.truth[i].image];
      image.objects.push_back(*box);
      image.object_places.push_back(static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t i = 0; i < boxes.detections.size(); ++i) {
    const auto image = images.find(boxes.detections[i].image);
    if (image == images.end()) continue;
    if (const auto box = fitted_box(boxes.detections[i].corners)) {
      image->second.detections.push_back(*box);
      image->second.detection_places.push_back(i);
    }
  }
  return images;
}

}  // namespace

OverlapLists::OverlapLists(const ClassBoxes& boxes, const BoxOverlaps& overlaps,
                           const StopAsked& stop)
    : lists_(boxes.detections.size()) {
  for (const auto& [id, image] : boxes_by_image(boxes)) {
    const std::span<const geometry::RotatedBox> detections = image.detections;
    const std::size_t columns = image.objects.size();
    for (std::size_t begin = 0; begin < detections.size(); begin += kOverlapRows) {
      stop_if(stop);
      const std::size_t rows = std::min(kOverlapRows, detections.size() - begin);
      const std::vector<float> table = overlaps(detections.subspan(begin, rows), image.objects);
      if (table.size() != rows * columns) {
        throw EvaluationError("the overlaps of " + std::to_string(rows) + " detections with " +
                              std::to_string(columns) + " objects are " +
                              std::to_string(table.size()) + " numbers");
      }
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<Overlap>& list = lists_[image.detection_places[begin + row]];
        for (std::size_t column = 0; column < columns; ++column) {
          const float iou = table[row * columns + column];
          if (iou > 0) list.push_back({image.object_places[column], static_cast<double>(iou)});
        }
      }
    }
  }
}

OverlapLists::OverlapLists(const ClassBoxes& boxes, int threads, const StopAsked& stop)
    : lists_(boxes.detections.size()) {
  std::vector<geometry::PreparedQuad> truth;
  truth.reserve(boxes.truth.size());
  std::unordered_map<std::int64_t, ImageTruth> images;
  for (std::size_t i = 0; i < boxes.truth.size(); ++i) {
    truth.emplace_back(boxes.truth[i].corners);
    if (truth.back().kind() == geometry::PreparedQuad::Kind::no_area) continue;
    images[boxes.truth[i].image].objects.push_back(static_cast<std::int32_t>(i));
  }
  for (auto& [image, list] : images) {
    std::ranges::stable_sort(list.objects, {},
                             [&](std::int32_t i) { return truth[i].bounds()[0]; });
    for (const std::int32_t i : list.objects) {
      const auto& bounds = truth[i].bounds();
      list.begins.push_back(bounds[0]);
      list.widest = std::max(list.widest, bounds[2] - bounds[0]);
    }
  }
  constexpr std::size_t kChunk = 1024;  // detections a thread takes at once
  constexpr std::size_t kAsk = 128;     // detections between two questions whether to stop
  const std::size_t count = boxes.detections.size();
  for_each_item((count + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    for (std::size_t d = chunk * kChunk; d < std::min(count, (chunk + 1) * kChunk); ++d) {
      if (d % kAsk == 0) stop_if(stop);
      const auto found = images.find(boxes.detections[d].image);
      if (found == images.end()) continue;
      const geometry::PreparedQuad quad(boxes.detections[d].corners);
      if (quad.kind() == geometry::PreparedQuad::Kind::no_area) continue;
      const ImageTruth& list = found->second;
      const auto first = std::ranges::lower_bound(list.begins, quad.bounds()[0] - list.widest);
      const auto last = std::ranges::lower_bound(list.begins, quad.bounds()[2]);
      for (auto at = first; at < last; ++at) {
        const std::int32_t object =
            list.objects[static_cast<std::size_t>(at - list.begins.begin())];
        const double iou = overlap(quad, truth[object]);
        if (iou > 0) lists_[d].push_back({object, iou});
      }
      std::ranges::sort(lists_[d], {}, &Overlap::truth);
    }
  });
}

}  // namespace grasppanda::eval
