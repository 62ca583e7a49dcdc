#include "lib/datasets/masked_cloud.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lib/datasets/object_mask.h"

namespace grasppanda::datasets {
namespace {

constexpr double kNearest = 0.05, kFarthest = 10.0;  // metres between which a table can be

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> depths_of(const std::vector<double>& xyz) {
  std::vector<double> z(xyz.size() / 3);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = xyz[3 * i + 2];
  return z;
}

std::string distance_warning(const char* format, double distance) {
  char text[200];
  std::snprintf(text, sizeof(text), format, distance);
  return text;
}

bool in_box(const std::array<double, 6>& box, const double* p) {
  return p[0] >= box[0] && p[0] <= box[1] && p[1] >= box[2] && p[1] <= box[3] && p[2] >= box[4] &&
         p[2] <= box[5];
}

/// Counts of the way of a depth image.
struct DepthCounts {
  std::int64_t zero = 0, negative = 0, nan = 0, infinite = 0;
  std::int64_t valid = 0, in_limits = 0, in_mask = 0;
  std::int64_t too_near = 0, too_far = 0;  // of those in the mask
};

class Maker {
 public:
  Maker(const Frame& frame, const CloudSettings& settings) : frame_(frame), settings_(settings) {}

  MaskedCloud make() {
    if (frame_.depth) {
      back_project_depth();
    } else if (frame_.cloud) {
      take_stored();
    }
    apply_object_mask();
    apply_limit_box();
    count_object_points();
    if (stage_.empty() && cloud_.points() == 0) stage_ = "none inside input.limit_box";
    if (!stage_.empty()) cloud_.warnings.push_back("no points: " + stage_);
    return std::move(cloud_);
  }

 private:
  void count(const char* name, std::int64_t value) { cloud_.counts.emplace_back(name, value); }
  void count_if_any(const char* name, std::int64_t value) {
    if (value != 0) count(name, value);
  }

  bool has_limits() const { return settings_.depth_min > 0 || settings_.depth_max.has_value(); }

  void back_project_depth() {
    const DepthImage& depth = *frame_.depth;
    const std::uint8_t* workspace = frame_.workspace ? frame_.workspace->data() : nullptr;
    const std::uint8_t* color = frame_.color ? frame_.color->pixels.data() : nullptr;
    const double far = settings_.depth_max.value_or(std::numeric_limits<double>::infinity());
    const auto most = static_cast<std::size_t>(
        std::count_if(depth.raw.begin(), depth.raw.end(), [](double v) { return v > 0; }));
    cloud_.xyz.reserve(3 * most);  // memory that is not reached is never touched
    cloud_.pixel.reserve(most);
    if (color != nullptr) cloud_.rgb.reserve(3 * most);

    DepthCounts counts;
    std::size_t pixel = 0;
    for (std::int64_t v = 0; v < depth.height; ++v) {
      for (std::int64_t u = 0; u < depth.width; ++u, ++pixel) {
        const double raw = depth.raw[pixel];
        if (!(raw > 0) || std::isinf(raw)) {
          count_invalid(raw, counts);
          continue;
        }
        ++counts.valid;
        const double z = raw / depth.factor;
        if (!(z >= settings_.depth_min && z <= far)) continue;
        ++counts.in_limits;
        if (workspace != nullptr && workspace[pixel] == 0) continue;
        const geometry::Vec3 p =
            back_project(frame_.intrinsics, static_cast<double>(u), static_cast<double>(v), z);
        cloud_.xyz.insert(cloud_.xyz.end(), p.begin(), p.end());
        cloud_.pixel.push_back(static_cast<std::int64_t>(pixel));
        if (color != nullptr) {
          cloud_.rgb.insert(cloud_.rgb.end(), color + 3 * pixel, color + 3 * pixel + 3);
        }
        counts.too_near += z < kNearest ? 1 : 0;
        counts.too_far += z > kFarthest ? 1 : 0;
      }
    }
    counts.in_mask = cloud_.points();
    record(counts);
    // Only where half of the points are out of range can the median be.
    if (2 * std::max(counts.too_near, counts.too_far) >= counts.in_mask) warn_about_depth();
  }

  static void count_invalid(double raw, DepthCounts& counts) {
    if (std::isnan(raw)) {
      ++counts.nan;
    } else if (std::isinf(raw)) {
      ++counts.infinite;
    } else if (raw < 0) {
      ++counts.negative;
    } else {
      ++counts.zero;
    }
  }

  void record(const DepthCounts& counts) {
    count("pixels", static_cast<std::int64_t>(frame_.depth->raw.size()));
    count_if_any("zero_pixels", counts.zero);
    count_if_any("negative_pixels", counts.negative);
    count_if_any("nan_pixels", counts.nan);
    count_if_any("infinite_pixels", counts.infinite);
    count("valid_pixels", counts.valid);
    if (has_limits()) count("after_depth_limits", counts.in_limits);
    if (frame_.workspace) {
      count("workspace_pixels", std::count_if(frame_.workspace->begin(), frame_.workspace->end(),
                                              [](std::uint8_t v) { return v != 0; }));
    }
    count("after_mask", counts.in_mask);
    if (counts.valid == 0) {
      stage_ = "no pixel of the depth picture holds a measurement";
    } else if (counts.in_limits == 0) {
      stage_ = "no depth lies within input.depth.min and input.depth.max";
    } else if (counts.in_mask == 0) {
      stage_ = "no valid depth inside the workspace mask";
    }
  }

  void warn_about_depth() {
    if (cloud_.points() == 0) return;
    const double middle = median(depths_of(cloud_.xyz));
    if (middle < kNearest || middle > kFarthest) {
      cloud_.warnings.push_back(distance_warning(
          "median depth is %.4g m, where no table can be (0.05 to 10 m); is the depth unit "
          "(factor_depth, input.depth.scale) right?",
          middle));
    }
  }

  void take_stored() {
    const io::PointCloud& stored = *frame_.cloud;
    const auto n = static_cast<std::size_t>(stored.points());
    cloud_.xyz.reserve(stored.xyz.size());
    cloud_.rgb.reserve(stored.rgb.size());
    for (std::size_t i = 0; i < n; ++i) {
      const double* p = stored.xyz.data() + 3 * i;
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
      cloud_.xyz.insert(cloud_.xyz.end(), p, p + 3);
      row_.push_back(i);
      if (!stored.rgb.empty()) {
        cloud_.rgb.insert(cloud_.rgb.end(), stored.rgb.data() + 3 * i,
                          stored.rgb.data() + 3 * i + 3);
      }
    }
    count("stored_points", stored.points());
    count("valid_points", cloud_.points());
    if (cloud_.points() < stored.points()) {
      cloud_.warnings.push_back(std::to_string(stored.points() - cloud_.points()) +
                                " points with a NaN or infinite coordinate were dropped");
    }
    if (cloud_.points() == 0) stage_ = "the stored cloud has no finite point";
    warn_about_distance();
  }

  void warn_about_distance() {
    if (cloud_.points() == 0) return;
    std::vector<double> distances(row_.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double* p = cloud_.xyz.data() + 3 * i;
      distances[i] = std::sqrt((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]);
    }
    const double middle = median(std::move(distances));
    if (middle > kFarthest) {
      cloud_.warnings.push_back(distance_warning(
          "the cloud's points lie %.4g m from its origin in the median; is it in metres?", middle));
    }
  }

  /// Values of the mask by point, before the limit box drops any.
  void apply_object_mask() {
    if (!settings_.object_mask) return;
    MaskSize size;
    if (frame_.depth) {
      size.width = frame_.depth->width;
      size.height = frame_.depth->height;
    }
    size.points = frame_.depth ? cloud_.points() : frame_.cloud ? frame_.cloud->points() : 0;
    const std::vector<std::uint8_t> mask = read_object_mask(*settings_.object_mask, size);
    const auto n = static_cast<std::size_t>(cloud_.points());
    const bool by_pixel = frame_.depth && mask.size() == frame_.depth->raw.size();
    cloud_.object_mask.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = by_pixel       ? static_cast<std::size_t>(cloud_.pixel[i])
                             : frame_.depth ? i
                                            : row_[i];
      cloud_.object_mask[i] = mask[at];
    }
  }

  void apply_limit_box() {
    if (!settings_.limit_box) return;
    const std::array<double, 6>& box = *settings_.limit_box;
    const auto n = static_cast<std::size_t>(cloud_.points());
    std::size_t kept = 0;
    const auto move3 = [&](auto& values, std::size_t from) {
      if (!values.empty())
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(3 * from), 3,
                    values.begin() + static_cast<std::ptrdiff_t>(3 * kept));
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (!in_box(box, cloud_.xyz.data() + 3 * i)) continue;
      move3(cloud_.xyz, i);
      move3(cloud_.rgb, i);
      if (!cloud_.pixel.empty()) cloud_.pixel[kept] = cloud_.pixel[i];
      if (!cloud_.object_mask.empty()) cloud_.object_mask[kept] = cloud_.object_mask[i];
      ++kept;
    }
    cloud_.xyz.resize(3 * kept);
    if (!cloud_.rgb.empty()) cloud_.rgb.resize(3 * kept);
    if (!cloud_.pixel.empty()) cloud_.pixel.resize(kept);
    if (!cloud_.object_mask.empty()) cloud_.object_mask.resize(kept);
    count("after_limit_box", static_cast<std::int64_t>(kept));
  }

  void count_object_points() {
    if (!settings_.object_mask) return;
    count("object_points", std::count_if(cloud_.object_mask.begin(), cloud_.object_mask.end(),
                                         [](std::uint8_t v) { return v != 0; }));
  }

  const Frame& frame_;
  const CloudSettings& settings_;
  MaskedCloud cloud_;
  std::vector<std::size_t> row_;  // of each point in the stored cloud
  std::string stage_;             // where the points ran out; empty: they did not
};

}  // namespace

MaskedCloud masked_cloud(const Frame& frame, const CloudSettings& settings) {
  return Maker(frame, settings).make();
}

CloudExtent cloud_extent(const std::vector<double>& xyz) {
  CloudExtent extent;
  extent.points = static_cast<std::int64_t>(xyz.size() / 3);
  if (extent.points == 0) return extent;
  extent.min = extent.max = {xyz[0], xyz[1], xyz[2]};
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extent.min[axis] = std::min(extent.min[axis], xyz[i + axis]);
      extent.max[axis] = std::max(extent.max[axis], xyz[i + axis]);
      extent.mean[axis] += xyz[i + axis];
    }
  }
  for (double& mean : extent.mean) mean /= static_cast<double>(extent.points);
  extent.median_depth = median(depths_of(xyz));
  return extent;
}

}  // namespace grasppanda::datasets
