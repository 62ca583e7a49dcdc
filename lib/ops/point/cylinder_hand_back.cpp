#include "lib/ops/point/cylinder_hand_back.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace grasppanda::ops {

void answer_handed_back(const at::Tensor& hand_back, const NestedCylinderCall& call,
                        Neighbourhood& found) {
  const uint8_t* marks = hand_back.const_data_ptr<uint8_t>();
  if (std::all_of(marks, marks + hand_back.numel(), [](uint8_t mark) { return mark == 0; })) return;
  for (int64_t cloud = 0; cloud < hand_back.size(0); ++cloud) {
    const at::Tensor marked = hand_back[cloud].nonzero().squeeze(1);
    if (marked.numel() == 0) continue;
    const at::Tensor rows = marked.to(call.query.device());
    const Neighbourhood answer = nested_cylinder_query_reference(
        call.query[cloud].index_select(0, rows).unsqueeze(0), call.support[cloud].unsqueeze(0),
        call.rotation[cloud].index_select(0, rows).unsqueeze(0), call.radius, call.hmin, call.hmax,
        call.nsample);
    found.index[cloud].index_copy_(1, rows, answer.index[0]);
    found.count[cloud].index_copy_(1, rows, answer.count[0]);
  }
}

}  // namespace grasppanda::ops
