#include "models/gsnet/preprocess.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>

#include "lib/ops/errors.h"
#include "lib/ops/point/voxelize.h"
#include "models/checkpoint_error.h"
#include "models/input_points.h"

namespace grasppanda::models::gsnet {

namespace {

constexpr std::int64_t kHead = 16;  // rows of the cloud that a dump holds

void observe_sample(const InputPoints& seen, const StageObserver& observe) {
  if (!observe || !seen.sample.defined()) return;
  const at::Tensor& cloud = seen.clouds.full;
  observe("cloud_masked_head", cloud.narrow(0, 0, std::min(kHead, cloud.size(0))));
  observe("cloud_masked_sum", cloud.sum(0));
  observe("sample_index", seen.sample.to(at::kInt));
}

}  // namespace

Prepared prepare(const GraspInput& input, const PreprocessSettings& settings,
                 Accounting& accounting, const StageObserver& observe) {
  const InputPoints seen = camera_frame_points(input, settings.num_points, accounting);
  observe_sample(seen, observe);
  Prepared prepared;
  prepared.points = seen.points;
  prepared.mask = seen.mask;
  prepared.clouds = seen.clouds;
  accounting.counts.emplace_back("sampled", prepared.points.size(0));
  if (prepared.points.size(0) == 0) return prepared;
  try {
    const ops::Voxels voxels = ops::voxelize(prepared.points.unsqueeze(0), settings.voxel_size);
    prepared.coords = voxels.coords;
    prepared.voxel_of = voxels.inverse;
  } catch (const ops::ArgumentError& error) {
    throw InputError(std::string(error.what()) +
                     "; drop far points with input.limit_box or input.depth.max");
  }
  accounting.counts.emplace_back("voxels", prepared.coords.size(0));
  if (observe) {
    observe("cloud_sampled", prepared.points);
    observe("voxel_coords", prepared.coords);
    observe("quantize2original", prepared.voxel_of.to(at::kInt));
  }
  return prepared;
}

}  // namespace grasppanda::models::gsnet
