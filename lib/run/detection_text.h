// Numbers of detections as text: the shortest decimals that are the same float32 again.
#pragma once

#include <array>
#include <string>

#include "lib/geometry/rotated_box.h"
#include "lib/run/detection_writer.h"

namespace grasppanda::run {

/// The double with the fewest digits that rounds to this float32.
double shortest(float value);
/// With so many decimals, whatever the locale.
std::string fixed(double value, int decimals);

/// x1, y1, ..., x4, y4 in the order of geometry::corners, float32 values.
std::array<double, 8> corner_numbers(const geometry::RotatedBox& box);

/// "large vehicle" as files of DOTA have it: "large-vehicle".
std::string hyphenated(std::string name);

/// predictions/NAME.json read back.
struct StoredDetections {
  std::string name;
  std::int64_t width = 0, height = 0;
  std::vector<DetectionEntry> detections;
  std::vector<std::string> classes;  // names by index; empty where the file has none
};
/// Throws io::FormatError for a file that is none of ours.
StoredDetections read_detections(const std::filesystem::path& file);

}  // namespace grasppanda::run
