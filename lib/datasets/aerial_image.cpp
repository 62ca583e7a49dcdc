#include "lib/datasets/aerial_image.h"

#include <algorithm>
#include <utility>

#include "lib/datasets/band_values.h"
#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

// Decoded RGB from here on is not kept whole when the picture is cut into tiles anyway.
constexpr std::int64_t kLargePicture = std::int64_t{192} << 20;
constexpr std::int64_t kRowsAtOnce = 64;
constexpr double kNearlyBlack = 0.98;

std::array<double, 2> percentiles(const ImageSettings& settings) {
  return settings.stretch.value_or(std::array<double, 2>{});
}

bool is_stretched(const io::ImageHeader& header, const ImageSettings& settings) {
  return header.bits == 16 && settings.stretch.has_value();
}

BandCounts count_bands(const std::filesystem::path& path, const std::array<int, 3>& bands) {
  const std::unique_ptr<io::ImageRows> rows = io::open_image_rows(path);
  const io::ImageHeader& header = rows->header();
  BandCounts counts;
  std::vector<std::uint16_t> buffer(header.row_bytes() / 2 * kRowsAtOnce);
  for (std::int64_t y = 0; y < header.height; y += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, header.height - y);
    rows->read(n, reinterpret_cast<std::uint8_t*>(buffer.data()));
    counts.add(buffer.data(), n * header.width, header.channels, bands);
  }
  return counts;
}

}  // namespace

struct RgbRows::State {
  State(const std::filesystem::path& path, const ImageSettings& settings)
      : rows(io::open_image_rows(path)),
        bands(chosen_bands(rows->header(), settings.bands, path.string())),
        path(path),
        settings(settings),
        stretched(is_stretched(rows->header(), settings)) {}

  /// Made when the first row is wanted: a stretch reads the file once before.
  BandValues& values() {
    if (made) return *made;
    if (!stretched) return made.emplace(rows->header(), bands, nullptr, percentiles(settings));
    const BandCounts counts = count_bands(path, bands);
    return made.emplace(rows->header(), bands, &counts, percentiles(settings));
  }

  std::unique_ptr<io::ImageRows> rows;
  std::array<int, 3> bands;
  std::filesystem::path path;
  ImageSettings settings;
  std::optional<BandValues> made;
  bool stretched;
  std::vector<std::uint16_t> buffer;  // of the alignment that deep samples want
};

RgbRows::RgbRows(const std::filesystem::path& path, const ImageSettings& settings)
    : state_(std::make_unique<State>(path, settings)) {}
RgbRows::~RgbRows() = default;

std::int64_t RgbRows::width() const {
  return state_->rows->header().width;
}
std::int64_t RgbRows::height() const {
  return state_->rows->header().height;
}

void RgbRows::read(std::int64_t rows, std::uint8_t* to) {
  const io::ImageHeader& header = state_->rows->header();
  state_->buffer.resize(header.row_bytes() * kRowsAtOnce / 2 + 1);
  auto* buffer = reinterpret_cast<std::uint8_t*>(state_->buffer.data());
  for (std::int64_t y = 0; y < rows; y += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, rows - y);
    state_->rows->read(n, buffer);
    state_->values().convert(buffer, n * header.width, to + 3 * y * header.width);
  }
}

std::vector<std::string> RgbRows::warnings() const {
  const io::ImageHeader& header = state_->rows->header();
  std::vector<std::string> warnings;
  const bool chosen = state_->settings.bands.has_value();
  if (!chosen && (header.channels > 4 || header.unnamed_fourth)) {
    warnings.push_back("the picture has " + std::to_string(header.channels) + " bands" +
                       (header.unnamed_fourth ? ", the last of which it does not call alpha" : "") +
                       "; the first three are taken as red, green and blue; name others by "
                       "input.bands");
  }
  if (chosen && header.channels <= 3) {
    warnings.push_back("the picture has no more than three bands; input.bands is not used for it");
  }
  if (header.bits == 16 && !state_->stretched && state_->values().dark_share() >= kNearlyBlack) {
    warnings.push_back(
        "the high bytes of this 16-bit picture are nearly black; stretch its values by "
        "input.stretch: percentile");
  }
  return warnings;
}

AerialImage open_aerial_image(const std::filesystem::path& path, const ImageSettings& settings) {
  AerialImage image;
  {
    RgbRows rows(path, settings);
    image.width = rows.width();
    image.height = rows.height();
    const bool tiled =
        settings.tiled_above > 0 && std::max(image.width, image.height) > settings.tiled_above;
    if (!tiled || image.width * image.height < kLargePicture / 3) {
      io::Image rgb;
      rgb.width = image.width;
      rgb.height = image.height;
      rgb.channels = 3;
      rgb.format = "8-bit RGB";
      if (image.width * image.height > io::kMaxImageBytes / 3) {
        throw io::FormatError(path.string() + ": " + std::to_string(image.width) + " x " +
                              std::to_string(image.height) +
                              " pixels are too many to be scaled as one picture; set "
                              "detect.tiling.min_side");
      }
      rgb.pixels.resize(rgb.samples());
      rows.read(image.height, rgb.pixels.data());
      image.warnings = rows.warnings();
      image.rgb = std::move(rgb);
    }
  }
  image.geo = io::read_geo_reference(path);
  return image;
}

}  // namespace grasppanda::datasets
