// From the checked configuration and the command line to what opening an input and making its cloud
// need to know.
#pragma once

#include "app/invocation.h"
#include "lib/datasets/aerial_image.h"
#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"

namespace grasppanda::app {

datasets::OpenSettings open_settings(const config::Config& config, const Invocation& invocation);
datasets::CloudSettings cloud_settings(const config::Config& config);
datasets::ImageSettings image_settings(const config::Config& config);

/// Up in the frame of the cloud, for pictures of clouds that come without a camera.
geometry::Vec3 picture_up(const Invocation& invocation);

/// The options that say how inputs are opened and that no configuration key mirrors: they are kept
/// in the run directory, so that --resume needs none of them again.
inline constexpr const char* kInputOptions[] = {"--array", "--index", "--points",
                                                "--depth", "--color", "--sample-index"};

}  // namespace grasppanda::app
