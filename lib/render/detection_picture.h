// Pictures of detections: oriented boxes over an aerial image. Pure functions of their arguments:
// same values, same bytes; a box with a number that is not finite is not drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/geometry/rotated_box.h"
#include "lib/io/image.h"
#include "lib/render/canvas.h"

namespace grasppanda::render {

struct DrawnBox {
  geometry::RotatedBox box;  // pixels of the image
  float score = 0;
  std::int64_t class_index = 0;
};

/// What is drawn. All spans outlive the call.
struct DetectionPicture {
  const io::Image* picture = nullptr;    // 8-bit RGB; null: a dark ground
  std::int64_t width = 0, height = 0;    // of the image
  double reduced = 1;                    // pixels of the image to one of `picture`
  std::span<const DrawnBox> boxes;       // best first
  std::span<const std::string> classes;  // names by index
  std::string name;                      // of the image, UTF-8; stands in the legend
};

/// A colour for each class, told apart from its neighbours in the list and from ground, grass and
/// roofs; repeats after 20.
Color class_color(std::int64_t class_index);

/// 8-bit RGB of the picture's size. Boxes are outlined in the colour of their class, the best drawn
/// last. The legend holds the name, the number of detections and of each class that occurs (most
/// frequent first); it stands in the corner with the fewest boxes and is left out where it would
/// cover more than a third of the picture.
io::Image draw_detections(const DetectionPicture& picture);

/// The longer side that pictures of large images are reduced to.
inline constexpr std::int64_t kLargestPicture = 4096;

/// Takes an image row by row and keeps the means of its squares of `factor` pixels.
class ReducedPicture {
 public:
  /// The factor that brings the longer side to kLargestPicture; 1 for smaller images.
  ReducedPicture(std::int64_t width, std::int64_t height);

  std::int64_t factor() const { return factor_; }
  /// The next rows of 8-bit RGB.
  void add(const std::uint8_t* rgb, std::int64_t rows);
  io::Image take() &&;

 private:
  void finish_row();

  std::int64_t width_, height_, factor_, rows_ = 0, written_ = 0;
  std::vector<std::uint32_t> sums_;
  io::Image image_;
};

}  // namespace grasppanda::render
