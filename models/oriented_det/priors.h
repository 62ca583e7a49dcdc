// Where oriented-det's heads look: anchors and points of a level, at the middle of its cells.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/oriented_det/box_coders.h"

namespace grasppanda::models::oriented_det {

/// Anchors of one level, angle 0.
class AnchorGrid {
 public:
  /// ratio = w / h. In a cell: sizes outer, ratios inner.
  AnchorGrid(std::span<const double> sizes, std::int64_t stride, std::int64_t columns);

  std::int64_t per_cell() const { return static_cast<std::int64_t>(base_.size()); }
  /// Row by row, then column by column, then the anchors of the cell.
  Box operator[](std::int64_t index) const;

 private:
  std::vector<std::array<float, 2>> base_;  // w, h
  float stride_;
  std::int64_t columns_;
};

inline constexpr std::int64_t kRetinaAnchors = 9;
inline constexpr std::int64_t kProposalAnchors = 3;
AnchorGrid retina_anchors(std::int64_t stride, std::int64_t columns);
AnchorGrid proposal_anchors(std::int64_t stride, std::int64_t columns);

/// The stride of a level: picture size / map size where that is one whole number for both axes,
/// else the usual one (25 cells become 13 in an input of 800 pixels).
std::int64_t live_stride(const at::Tensor& input, const at::Tensor& level, std::int64_t usual);

}  // namespace grasppanda::models::oriented_det
