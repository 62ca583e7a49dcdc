#include "lib/datasets/object_mask.h"

#include <algorithm>
#include <string>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/image_sides.h"
#include "lib/io/mapped_file.h"
#include "lib/io/npy.h"

namespace grasppanda::datasets {

std::vector<std::uint8_t> read_object_mask(const std::filesystem::path& path,
                                           const MaskSize& size) {
  const std::string name = path.string();
  const io::SharedBytes file = io::map_file(path);
  const std::string pixels =
      std::to_string(size.width) + " x " + std::to_string(size.height) + " pixels";
  const std::string wanted =
      "; wanted " + (size.width > 0 ? "a mask of the frame's " + pixels + " or " : std::string()) +
      "a .npy of " + std::to_string(size.points) + " values, one a point";
  if (io::content_of(file.span()) != io::Content::npy) {
    const io::ImageSides sides = io::read_image_sides(path);  // before memory is taken for it
    if (size.width == 0 || !io::could_have_sides(sides, {size.width, size.height})) {
      throw io::FormatError(name + ": object mask of " + std::to_string(sides.width) + " x " +
                            std::to_string(sides.height) + " pixels" + wanted);
    }
    const io::Image image = io::read_image(path);
    if (image.width != size.width || image.height != size.height) {
      throw io::FormatError(name + ": object mask of " + std::to_string(image.width) + " x " +
                            std::to_string(image.height) + " pixels" + wanted);
    }
    return io::nonzero_pixels(image);
  }
  const io::Array array = io::parse_npy(file, name);
  const std::int64_t values = array.numel();
  if (array.is_text || (values != size.points && values != size.width * size.height)) {
    throw io::FormatError(name + ": object mask holds " + io::describe(array) + wanted);
  }
  const std::vector<double> numbers = io::to_float64(array);
  std::vector<std::uint8_t> mask(numbers.size());
  std::transform(numbers.begin(), numbers.end(), mask.begin(),
                 [](double v) { return static_cast<std::uint8_t>(v != 0 ? 1 : 0); });
  return mask;
}

}  // namespace grasppanda::datasets
