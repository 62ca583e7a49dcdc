// A thread takes one cell of one channel; neighbouring threads read neighbouring pixels.
#include "lib/ops/rotated/box_frames_cuda.h"
#include "lib/ops/rotated/cuda_interface.h"
#include "lib/ops/rotated/roi_cell.h"

namespace grasppanda::ops::device {
namespace {

struct RoiCells {
  GrasppandaRoiAlignCall call;
  RoiPlan* plans;
};

__global__ void __launch_bounds__(kItemThreads) plan_rois(RoiCells r) {
  const std::int64_t i = item_of_thread();
  if (i >= r.call.rois) return;
  const auto kind = static_cast<RoiKind>(r.call.kind);
  const int columns = kind == RoiKind::horizontal ? 4 : 5;
  r.plans[i] =
      roi_plan(kind, r.call.rows + i * columns, r.call.scale, r.call.cells, r.call.sampling_ratio);
}

__global__ void __launch_bounds__(kItemThreads) fill_cells(RoiCells r) {
  const std::int64_t item = item_of_thread(), cells = r.call.cells;
  if (item >= r.call.rois * r.call.channels * cells * cells) return;
  const auto pw = static_cast<int>(item % cells), ph = static_cast<int>(item / cells % cells);
  const std::int64_t plane = item / cells / cells;
  const std::int64_t channel = plane % r.call.channels, roi = plane / r.call.channels;
  const std::int64_t pixels = std::int64_t{r.call.height} * r.call.width;
  const float* map = r.call.maps + (r.call.map_of[roi] * r.call.channels + channel) * pixels;
  r.call.out[item] =
      roi_cell_mean(r.plans[roi], r.call.cells, map, r.call.height, r.call.width, ph, pw);
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_roi_align(GrasppandaCudaPlace place, GrasppandaRoiAlignCall call) {
  using namespace grasppanda::ops;
  using namespace grasppanda::ops::device;
  const std::int64_t items = call.rois * call.channels * call.cells * call.cells;
  if (items == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  const RoiCells rois{call, static_cast<RoiPlan*>(call.plans)};
  if (const Failure failure =
          launch(place, plan_rois, blocks_for_items(call.rois), kItemThreads, rois))
    return failure;
  return launch(place, fill_cells, blocks_for_items(items), kItemThreads, rois);
}
