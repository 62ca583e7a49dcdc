#include "lib/io/image_sides.h"

#include <string>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/jpeg.h"
#include "lib/io/mapped_file.h"
#include "lib/io/png.h"
#include "lib/io/tiff.h"

namespace grasppanda::io {

bool could_have_sides(const ImageSides& stated, const ImageSides& wanted) {
  return (stated.width == wanted.width && stated.height == wanted.height) ||
         (stated.width == wanted.height && stated.height == wanted.width);
}

ImageSides read_image_sides(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  const std::string name = path.string();
  switch (content_of(file.span())) {
    case Content::png:
      return png_sides(file.span(), name);
    case Content::jpeg:
      return jpeg_sides(file.span(), name);
    case Content::tiff:
      return tiff_sides(file.span(), name);
    default:
      break;
  }
  // Its words are those of whoever tries to decode it.
  read_image(path);
  throw FormatError(name + ": has no header that states its size");
}

}  // namespace grasppanda::io
