// Joining the results of tiles to results of whole images, by the rules of the DOTA development
// kit.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lib/datasets/dota.h"

namespace grasppanda::datasets {

/// A row of a result file of horizontal boxes: x1 y1 x2 y2.
struct HorizontalDetection {
  std::string image;
  double score = 0;
  std::array<double, 4> box{};
};
std::vector<HorizontalDetection> parse_task2(std::string_view text, const std::string& name);

/// IMAGE__RATE__X___Y of a row becomes IMAGE (everything before the first "__"), its corners
/// (corner + origin) / rate. Then, image by image in order of first appearance and class by class
/// (a file holds one), a weaker row that overlaps a better one by more than `iou` is dropped; equal
/// scores in the order of the file. Rows come out best first. Throws io::FormatError for a name
/// that is no tile's; `name` stands in messages.
std::vector<DotaDetection> merge_tiles(std::vector<DotaDetection> rows, double iou,
                                       const std::string& name);
/// The same for horizontal boxes; overlaps count both border pixels.
std::vector<HorizontalDetection> merge_tiles(std::vector<HorizontalDetection> rows, double iou,
                                             const std::string& name);

/// Lines `image score x1 y1 ...`, every number as short as reads back to the same.
std::string result_text(const std::vector<DotaDetection>& rows);
std::string result_text(const std::vector<HorizontalDetection>& rows);

}  // namespace grasppanda::datasets
