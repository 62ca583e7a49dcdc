// Kept boxes lie in strips of the picture. A box is compared with the kept boxes of the strips that
// it touches: bounds first, sixteen at a time, then the overlaps that may reach the threshold.
#include "lib/ops/rotated/rotated_nms_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/ops/rotated/overlap_pairs_cpu.h"

namespace grasppanda::ops {
namespace {

/// Borders of the strips, ascending: about as far apart as the boxes are tall, farther where boxes
/// are few.
std::vector<double> strip_borders(const std::vector<BoxFrame>& frames,
                                  const std::vector<std::uint32_t>& members) {
  constexpr std::size_t kLeastBoxes = 24;
  std::vector<double> centres;
  double height = 0;
  for (const std::uint32_t i : members) {
    if (!(frames[i].area > 0)) continue;
    centres.push_back(frames[i].y);
    height += frames[i].high_y - frames[i].low_y;
  }
  if (centres.empty()) return {};
  height /= static_cast<double>(centres.size());
  std::sort(centres.begin(), centres.end());
  std::vector<double> borders;
  std::size_t since = 0;
  double last = centres.front();
  for (const double y : centres)
    if (++since > kLeastBoxes && y - last >= height) {
      borders.push_back(y);
      last = y;
      since = 0;
    }
  return borders;
}

class KeptBoxes {
 public:
  KeptBoxes(const std::vector<BoxFrame>& frames, const OuterBounds& bounds,
            const std::vector<std::uint32_t>& members, double threshold, bool at_equality)
      : frames_(frames),
        bounds_(bounds),
        threshold_(threshold),
        at_equality_(at_equality),
        borders_(strip_borders(frames, members)),
        strips_(borders_.size() + 1) {}

  void insert(std::uint32_t i) {
    const std::size_t first = strip_of(frames_[i].low_y), last = strip_of(frames_[i].high_y);
    for (std::size_t s = first; s <= last; ++s) {
      strips_[s].bounds.push_back(frames_[i]);
      strips_[s].members.push_back({i, static_cast<std::uint32_t>(first)});
    }
  }

  bool suppress(std::uint32_t i) {
    const std::size_t first = strip_of(frames_[i].low_y), last = strip_of(frames_[i].high_y);
    count_ = 0;
    for (std::size_t s = first; s <= last; ++s) {
      const Strip& strip = strips_[s];
      found_.resize(strip.members.size());
      const std::size_t met =
          meeting_bounds_cpu(bounds_, i, strip.bounds, 0, strip.members.size(), found_.data());
      for (std::size_t k = 0; k < met; ++k) {
        const Member& kept = strip.members[found_[k]];
        // A pair that shares several strips is looked at in the first of them.
        if (std::max<std::size_t>(kept.first_strip, first) != s) continue;
        if (!may_suppress(frames_[kept.place], frames_[i])) continue;
        first_[count_] = kept.place;
        second_[count_] = i;
        if (++count_ == kBatch && any_suppresses()) return true;
      }
    }
    return any_suppresses();
  }

 private:
  struct Member {
    std::uint32_t place, first_strip;
  };
  struct Strip {
    OuterBounds bounds;
    std::vector<Member> members;
  };
  static constexpr std::size_t kBatch = 16;

  std::size_t strip_of(double y) const {
    return static_cast<std::size_t>(std::upper_bound(borders_.begin(), borders_.end(), y) -
                                    borders_.begin());
  }

  /// The overlap is at most that of the bounds, and at most the smaller box. Bounds are as wrong as
  /// their coordinates are large.
  bool may_suppress(const BoxFrame& a, const BoxFrame& b) const {
    const double wrong_x = 1e-15 * (std::abs(a.x) + std::abs(b.x));
    const double wrong_y = 1e-15 * (std::abs(a.y) + std::abs(b.y));
    const double width = std::min(a.high_x, b.high_x) - std::max(a.low_x, b.low_x) + wrong_x;
    const double height = std::min(a.high_y, b.high_y) - std::max(a.low_y, b.low_y) + wrong_y;
    const double most = std::min(std::min(a.area, b.area), width * height * (1 + 1e-9));
    return most >= threshold_ * (1 - 1e-9) * (a.area + b.area - most);
  }

  bool any_suppresses() {
    overlap_pairs_cpu(frames_.data(), first_.data(), frames_.data(), second_.data(), count_,
                      OverlapRatio::iou, values_.data());
    const auto last = values_.begin() + static_cast<std::ptrdiff_t>(count_);
    count_ = 0;
    return std::any_of(values_.begin(), last, [&](double iou) {
      return at_equality_ ? iou >= threshold_ : iou > threshold_;
    });
  }

  const std::vector<BoxFrame>& frames_;
  const OuterBounds& bounds_;
  double threshold_;
  bool at_equality_;
  std::vector<double> borders_;
  std::vector<Strip> strips_;
  std::vector<std::uint32_t> found_;
  std::size_t count_ = 0;
  std::array<std::uint32_t, kBatch> first_{}, second_{};
  std::array<double, kBatch> values_{};
};

}  // namespace

std::vector<bool> rotated_nms_cpu(const std::vector<BoxFrame>& frames, const OuterBounds& bounds,
                                  const std::vector<std::uint32_t>& members, double threshold,
                                  bool at_equality) {
  KeptBoxes kept(frames, bounds, members, threshold, at_equality);
  std::vector<bool> stays(members.size(), true);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::uint32_t i = members[k];
    if (!(frames[i].area > 0)) continue;  // overlaps nothing
    if (kept.suppress(i))
      stays[k] = false;
    else
      kept.insert(i);
  }
  return stays;
}

}  // namespace grasppanda::ops
