#include "lib/datasets/frame_images.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/image_sides.h"
#include "lib/io/mapped_file.h"
#include "lib/io/npy.h"
#include "lib/io/npy_header.h"

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

[[noreturn]] void refuse_size(const std::filesystem::path& path, const char* what,
                              const io::ImageSides& sides, const io::ImageSides& depth) {
  throw io::FormatError(path.string() + ": " + what + " of " +
                        size_text(sides.width, sides.height) + " pixels, but the depth has " +
                        size_text(depth.width, depth.height) +
                        "; all pictures of a frame must be aligned");
}

void require_size(const std::filesystem::path& path, const char* what, std::int64_t width,
                  std::int64_t height, const DepthImage& depth) {
  if (width == depth.width && height == depth.height) return;
  refuse_size(path, what, {width, height}, {depth.width, depth.height});
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

/// What the header of a picture or array says; nothing where it says nothing.
std::optional<io::ImageSides> stated_sides(const std::filesystem::path& path) {
  if (path.empty()) return std::nullopt;
  try {
    if (!is_npy(path)) return io::read_image_sides(path);
    io::Array plane;
    plane.shape = io::parse_npy_header(io::map_file(path).span(), path.string()).shape;
    const auto shape = plane_shape(plane, path);
    return io::ImageSides{shape[1], shape[0]};
  } catch (const io::FormatError&) {
    return std::nullopt;
  }
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

void check_stated_sides(const std::filesystem::path& depth, const std::filesystem::path& color,
                        const std::filesystem::path& mask) {
  const auto of_depth = stated_sides(depth);
  if (!of_depth) return;
  for (const auto& [path, what] : {std::pair{&color, "colour picture"}, std::pair{&mask, "mask"}}) {
    const auto sides = stated_sides(*path);
    if (sides && !io::could_have_sides(*sides, *of_depth))
      refuse_size(*path, what, *sides, *of_depth);
  }
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
