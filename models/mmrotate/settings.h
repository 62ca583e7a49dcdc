// What a run needs to know about a checkpoint of MMRotate beside its tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "models/detector_settings.h"
#include "models/mmrotate/box_coders.h"

namespace grasppanda::models::mmrotate {

/// What the file says of itself in `meta`; empty where it says nothing.
struct Told {
  std::vector<std::string> classes;
  std::optional<Line> line;
  std::optional<AngleConvention> angle;
  /// The anchors of a 1.x file that were left as 0.x has them: `angle_version=None` on their
  /// generator, the project's way to train on with files of 0.x.
  bool plain_anchors = false;
};
Told told_by(const io::Checkpoint& checkpoint);

struct Settings {
  Line line = Line::v0;
  AngleConvention angle = AngleConvention::le90;
  bool line_assumed = false, angle_assumed = false;  // neither the config nor the file says so
  Line anchors = Line::v0;                           // whose rules for anchors count
  DetectSettings detect;
  std::int64_t side = 1024;  // of the square that a picture is scaled into
  std::vector<std::string> classes;
};
/// Throws CheckpointError where config and file disagree on angle version, line or classes.
Settings read_settings(const config::Config& config, const io::Checkpoint& checkpoint,
                       std::int64_t classes);

std::string_view line_name(Line line);

}  // namespace grasppanda::models::mmrotate
