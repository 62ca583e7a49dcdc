#include "lib/datasets/frame_images.h"

#include <algorithm>
#include <string>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/npy.h"

namespace grasppanda::datasets {
namespace {

bool is_npy(const std::filesystem::path& path) {
  const io::Content content = io::content_of(io::map_file(path).span());
  return content == io::Content::npy ||
         (content != io::Content::png && content != io::Content::jpeg &&
          content != io::Content::tiff && path.extension() == ".npy");
}

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

void require_size(const std::filesystem::path& path, const char* what, std::int64_t width,
                  std::int64_t height, const DepthImage& depth) {
  if (width == depth.width && height == depth.height) return;
  throw io::FormatError(path.string() + ": " + what + " of " + size_text(width, height) +
                        " pixels, but the depth has " + size_text(depth.width, depth.height) +
                        "; all pictures of a frame must be aligned");
}

/// (height, width), with axes of length 1 before or behind them.
std::vector<std::int64_t> plane_shape(const io::Array& array, const std::filesystem::path& path) {
  std::vector<std::int64_t> shape = array.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  while (shape.size() > 2 && shape.back() == 1) shape.pop_back();
  if (shape.size() != 2) {
    throw io::FormatError(path.string() + ": holds " + io::describe(array) +
                          "; wanted (height, width)");
  }
  return shape;
}

DepthImage depth_from_npy(const std::filesystem::path& path) {
  const io::Array array = io::read_npy(path);
  const auto shape = plane_shape(array, path);
  if (array.is_text || array.dtype == io::DType::boolean) {
    throw io::FormatError(path.string() + ": holds " + io::describe(array) +
                          "; wanted depth as numbers");
  }
  DepthImage depth;
  depth.height = shape[0];
  depth.width = shape[1];
  depth.raw = io::to_float64(array);
  return depth;
}

}  // namespace

DepthImage read_depth(const std::filesystem::path& path) {
  if (is_npy(path)) return depth_from_npy(path);
  const io::Image image = io::read_image(path);
  if (image.bits != 16 || image.channels != 1) {
    throw io::FormatError(path.string() + ": is " + image.format +
                          "; depth wants a 16-bit grey PNG (or a .npy array)");
  }
  DepthImage depth;
  depth.width = image.width;
  depth.height = image.height;
  const auto raw = image.u16();
  depth.raw.assign(raw.begin(), raw.end());
  return depth;
}

io::Image read_color(const std::filesystem::path& path, const DepthImage& depth) {
  const io::Image image = io::read_image(path);
  require_size(path, "colour picture", image.width, image.height, depth);
  return io::to_rgb8(image);
}

std::vector<std::uint8_t> read_mask(const std::filesystem::path& path, const DepthImage& depth) {
  if (!is_npy(path)) {
    const io::Image image = io::read_image(path);
    require_size(path, "mask", image.width, image.height, depth);
    return io::nonzero_pixels(image);
  }
  const io::Array array = io::read_npy(path);
  const auto shape = plane_shape(array, path);
  require_size(path, "mask", shape[1], shape[0], depth);
  const std::vector<double> values = io::to_float64(array);
  std::vector<std::uint8_t> mask(values.size());
  std::transform(values.begin(), values.end(), mask.begin(),
                 [](double v) { return static_cast<std::uint8_t>(v != 0 ? 1 : 0); });
  return mask;
}

}  // namespace grasppanda::datasets
