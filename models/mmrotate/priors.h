// Where MMRotate's heads look: anchors and points of a level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/mmrotate/box_coders.h"

namespace grasppanda::models::mmrotate {

/// Anchors of one level. Their centres lie on multiples of the stride, not at half cells.
class AnchorGrid {
 public:
  /// ratio = h / w. In a cell: ratios outer, scales inner.
  AnchorGrid(std::span<const double> ratios, std::span<const double> scales, std::int64_t stride,
             std::int64_t columns);

  std::int64_t per_cell() const { return static_cast<std::int64_t>(base_.size()); }
  /// Row by row, then column by column, then the anchors of the cell.
  Bounds operator[](std::int64_t index) const;

 private:
  std::vector<Bounds> base_;
  float stride_;
  std::int64_t columns_;
};

/// RetinaNet's nine and the three of a region proposal network.
AnchorGrid retina_anchors(std::int64_t stride, std::int64_t columns);
AnchorGrid proposal_anchors(std::int64_t stride, std::int64_t columns);

inline constexpr std::int64_t kRetinaAnchors = 9;
inline constexpr std::int64_t kProposalAnchors = 3;

}  // namespace grasppanda::models::mmrotate
