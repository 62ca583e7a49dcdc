#include "lib/ops/point/cylinder_hand_back.h"

#include <ATen/ATen.h>

namespace grasppanda::ops {

void answer_handed_back(const at::Tensor& hand_back, const CylinderCall& call,
                        Neighbourhood& found) {
  for (int64_t cloud = 0; cloud < hand_back.size(0); ++cloud) {
    const at::Tensor marked = hand_back[cloud].nonzero().squeeze(1);
    if (marked.numel() == 0) continue;
    const at::Tensor rows = marked.to(call.query.device());
    const Neighbourhood answer = cylinder_query_reference(
        call.query[cloud].index_select(0, rows).unsqueeze(0), call.support[cloud].unsqueeze(0),
        call.rotation[cloud].index_select(0, rows).unsqueeze(0), call.radius, call.hmin, call.hmax,
        call.nsample);
    found.index[cloud].index_copy_(0, rows, answer.index[0]);
    found.count[cloud].index_copy_(0, rows, answer.count[0]);
  }
}

}  // namespace grasppanda::ops
