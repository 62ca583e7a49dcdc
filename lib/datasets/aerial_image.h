// Aerial pictures: opened, brought to 8-bit RGB, whole or in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/datasets/frame.h"
#include "lib/io/image_rows.h"

namespace grasppanda::datasets {

struct ImageSettings {
  /// Pictures of more than 8 bits: none takes the high byte; else these percentiles of each band
  /// become black and white.
  std::optional<std::array<double, 2>> stretch;
  std::optional<std::array<int, 3>> bands;  // which are red, green, blue, from 0; none: the first
  /// A longer side than this is cut into tiles, so such a picture need not be in memory whole; 0:
  /// none is cut.
  std::int64_t tiled_above = 0;
};

/// Opens a picture by the rules of io::read_image. Throws io::FormatError.
AerialImage open_aerial_image(const std::filesystem::path& path, const ImageSettings& settings);

/// The same picture as rows of 8-bit RGB from the top on: the bytes that `rgb` would hold.
class RgbRows {
 public:
  /// With `stretch` and more than 8 bits the file is read once before, for the percentiles.
  RgbRows(const std::filesystem::path& path, const ImageSettings& settings);
  ~RgbRows();

  std::int64_t width() const;
  std::int64_t height() const;
  /// rows * width * 3 bytes. Throws io::FormatError.
  void read(std::int64_t rows, std::uint8_t* to);
  /// What there is to say about the picture; complete when all rows were read.
  std::vector<std::string> warnings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace grasppanda::datasets
