#include "lib/ops/rotated/box_frames_cuda.h"

namespace grasppanda::ops::device {
namespace {

template <class T>
struct BoxRows {
  const T* rows;
  std::int64_t count;
  BoxFrame* frames;
};

template <class T>
__global__ void __launch_bounds__(kItemThreads) frame_boxes(BoxRows<T> b) {
  const std::int64_t i = item_of_thread();
  if (i >= b.count) return;
  const T* row = b.rows + 5 * i;
  b.frames[i] = box_frame(row[0], row[1], row[2], row[3], row[4]);
}

template <class T>
Failure frame(const GrasppandaCudaPlace& place, const void* boxes, std::int64_t count,
              BoxFrame* frames) {
  return launch(place, frame_boxes<T>, blocks_for_items(count), kItemThreads,
                BoxRows<T>{static_cast<const T*>(boxes), count, frames});
}

}  // namespace

Failure make_box_frames(const GrasppandaCudaPlace& place, const void* boxes, bool wide,
                        std::int64_t count, BoxFrame* frames) {
  if (count == 0) return nullptr;
  return wide ? frame<double>(place, boxes, count, frames)
              : frame<float>(place, boxes, count, frames);
}

}  // namespace grasppanda::ops::device
