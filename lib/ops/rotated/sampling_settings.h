// What the ORIENTED_DET_* environment variables say about rotated overlaps. This is the one place
// of the library that reads the environment: the system that these settings belong to reads them at
// every call, so they are read at every call.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/ops/rotated/iou_method.h"

namespace grasppanda::ops {

/// How the grid of samples follows from the boxes (rotated_iou_sample_count.h). The two counts that
/// variables set are perfect squares; others may be given.
struct SampleGeometry {
  double target_spacing = 2;  // pixels
  int64_t min_samples = 25;
  int64_t max_samples = 1024;
  int64_t points_on_short_side = 3;
};

/// A flat count, or a geometry where `flat` is not set.
struct SampleSettings {
  std::optional<int64_t> flat;
  SampleGeometry geometry;
};

enum class SamplePurpose : std::uint8_t { iou, nms };

/// The settings for overlaps or for suppression. Throws ArgumentError naming the variable:
/// ORIENTED_DET_GPU_ORIENTED_IOU_{SAMPLE_BY_MAX_SIDE, TARGET_SPACING_PX, MIN_SAMPLES, MAX_SAMPLES}
/// ORIENTED_DET_GPU_NMS_IOU_{SAMPLE_BY_MAX_SIDE, SAMPLES}
SampleSettings sample_settings(SamplePurpose purpose);

enum class RotatedBackendVariable : std::uint8_t { automatic, gpu_sample, cpu };

/// "auto", "gpu_sample" or "cpu" in any case, white space around it; anything else is auto.
RotatedBackendVariable parse_rotated_backend(std::string_view text);

/// What ORIENTED_DET_ROTATED_BACKEND chooses: exact for cpu, else sampled; nothing where the
/// variable is not set or blank.
std::optional<IouMethod> method_from_environment();

/// ORIENTED_DET_WINDOW_BATCH_SIZE: how many windows of a large picture go through a network
/// together; nothing where it is not set, blank, "auto" or "probe". Throws ArgumentError for what
/// is no positive whole number.
std::optional<std::size_t> window_batch_from_environment();

/// How a detector suppresses: exact if `force_cpu` (final_nms_use_cpu), else as the variable
/// chooses, else as configured.
IouMethod suppression_method(IouMethod configured, bool force_cpu);

}  // namespace grasppanda::ops
