#include "lib/io/geotiff.h"

#include <tiffio.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "lib/io/content.h"
#include "lib/io/mapped_file.h"
#include "lib/io/tiff_memory.h"

namespace grasppanda::io {
namespace {

constexpr std::uint32_t kPixelScale = 33550, kTiePoint = 33922, kTransformation = 34264;
constexpr std::uint32_t kGeoKeys = 34735;
constexpr int kRasterType = 1025, kGeographic = 2048, kProjected = 3072;
constexpr int kPixelIsPoint = 2, kUserDefined = 32767;

// A tag with its type as the file has it: libtiff hands any array over as what it says it is.
template <class T>
std::span<const T> values(TIFF* tiff, std::uint32_t tag, TIFFDataType wanted) {
  const TIFFField* field = TIFFFindField(tiff, tag, TIFF_ANY);
  if (field == nullptr || TIFFFieldDataType(field) != wanted || TIFFFieldPassCount(field) == 0) {
    return {};
  }
  T* found = nullptr;
  if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
    std::uint32_t count = 0;
    if (TIFFGetField(tiff, tag, &count, &found) == 0 || found == nullptr) return {};
    return {found, count};
  }
  std::uint16_t count = 0;
  if (TIFFGetField(tiff, tag, &count, &found) == 0 || found == nullptr) return {};
  return {found, count};
}

/// The value of a GeoKey that is stored in the directory itself.
std::optional<int> geo_key(std::span<const std::uint16_t> keys, int wanted) {
  // Four numbers a row: key, where its value is (0: here), how many, value. The first row counts.
  for (std::size_t row = 4; row + 4 <= keys.size(); row += 4) {
    if (keys[row] == wanted && keys[row + 1] == 0) return keys[row + 3];
  }
  return std::nullopt;
}

std::optional<std::array<double, 6>> transform_of(TIFF* tiff) {
  const auto matrix = values<double>(tiff, kTransformation, TIFF_DOUBLE);
  if (matrix.size() >= 16) {
    return std::array{matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]};
  }
  const auto scale = values<double>(tiff, kPixelScale, TIFF_DOUBLE);
  const auto tie = values<double>(tiff, kTiePoint, TIFF_DOUBLE);
  if (scale.size() < 2 || tie.size() < 6) return std::nullopt;
  // Raster (i, j) of the tie point lies at world (x, y); rows run against the world's y.
  return std::array{tie[3] - tie[0] * scale[0], scale[0], 0.0,
                    tie[4] + tie[1] * scale[1], 0.0,      -scale[1]};
}

}  // namespace

std::optional<GeoReference> read_geo_reference(const std::filesystem::path& path) {
  const SharedBytes bytes = map_file(path);
  if (content_of(bytes.span()) != Content::tiff) return std::nullopt;
  const TiffMemory file(bytes.span(), path.string());
  if (file.handle() == nullptr) return std::nullopt;
  const auto transform = transform_of(file.handle());
  if (!transform) return std::nullopt;
  GeoReference reference{.transform = *transform, .epsg = std::nullopt};
  auto& t = reference.transform;
  for (const double value : t) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  if (t[1] * t[5] - t[2] * t[4] == 0) return std::nullopt;
  const auto keys = values<std::uint16_t>(file.handle(), kGeoKeys, TIFF_SHORT);
  if (geo_key(keys, kRasterType) == kPixelIsPoint) {
    // The transform speaks of centres of pixels; we of their corners.
    t[0] -= 0.5 * (t[1] + t[2]);
    t[3] -= 0.5 * (t[4] + t[5]);
  }
  for (const int key : {kProjected, kGeographic}) {
    const std::optional<int> code = geo_key(keys, key);
    if (!code || *code == 0 || *code == kUserDefined) continue;
    reference.epsg = code;
    break;
  }
  return reference;
}

}  // namespace grasppanda::io
