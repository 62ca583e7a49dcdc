// DOTA: label files (labelTxt/IMAGE.txt) and Task 1 result files (Task1_CLASS.txt).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/geometry/rotated_box.h"

namespace grasppanda::datasets {

struct DotaObject {
  geometry::Quad corners{};  // pixels, as they stand in the file
  std::string class_name;
  int difficult = 0;  // 0: counts; the splitter writes 2 for objects cut by a tile's border
};

enum class DotaReading {
  strict,   // 9 or 10 fields, or the form with commas
  tolerant  // class names with blanks; lines that are no object are skipped
};

/// Blank lines and lines that begin with `imagesource:` or `gsd:` are skipped. Throws
/// io::FormatError with the line and its text for everything else that is no object.
std::vector<DotaObject> read_dota_labels(const std::filesystem::path& file,
                                         DotaReading reading = DotaReading::strict);
std::vector<DotaObject> parse_dota_labels(std::string_view text, const std::string& name,
                                          DotaReading reading);

/// A row of a result file.
struct DotaDetection {
  std::string image;
  double score = 0;
  geometry::Quad corners{};
};
/// Rows in the order of the file, without the line `P0000 0.0000 ...` that some tools write for a
/// class without detections. Throws io::FormatError with the line.
std::vector<DotaDetection> read_task1(const std::filesystem::path& file);
std::vector<DotaDetection> parse_task1(std::string_view text, const std::string& name);

/// The classes of a folder's Task1_CLASS.txt files, sorted, with their files.
struct Task1File {
  std::string class_name;
  std::filesystem::path file;
};
std::vector<Task1File> list_task1(const std::filesystem::path& folder);

/// ROOT/labelTxt is there.
bool has_dota_truth(const std::filesystem::path& root);

/// Names of the images: the lines of ROOT/imageset.txt, else the label files, sorted. Throws
/// io::FormatError: an image of the list has no label file, a name is a path or comes twice.
std::vector<std::string> list_dota_images(const std::filesystem::path& root);

}  // namespace grasppanda::datasets
