// Configuration keys of the published detectors. A name such as rotated_retinanet stands for the
// network of MMRotate and of oriented-det (model.family), so that one table serves both. Plain
// data, without LibTorch: the program reads it too.
#pragma once

#include <span>

#include "lib/config/key_table.h"

namespace grasppanda::models {

/// One table for each name: rotated_retinanet, oriented_rcnn, rotated_faster_rcnn, roi_transformer,
/// rotated_fcos.
std::span<const config::KeyTable> published_detector_keys();

}  // namespace grasppanda::models
