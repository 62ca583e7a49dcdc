// Checkpoints of the published detectors for tests of the program: the real names and shapes of a
// ResNet-18, every number a function of its place; nothing is learnt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"

namespace grasppanda::tests {

/// Rotated RetinaNet of MMRotate, Rotated FCOS of oriented-det.
std::vector<io::NamedArray> made_mmrotate_retinanet(std::int64_t classes);
std::vector<io::NamedArray> made_oriented_det_fcos(std::int64_t classes);

/// The checkpoint as the projects save it: tensors in half precision under `container`, `meta`
/// beside them (JSON text, or empty).
void write_made_checkpoint(const std::filesystem::path& file, const std::string& container,
                           const std::vector<io::NamedArray>& tensors, const std::string& meta);

/// An image of `side` pixels with squares on it.
void write_made_image(const std::filesystem::path& file, std::int64_t width, std::int64_t height);

}  // namespace grasppanda::tests
