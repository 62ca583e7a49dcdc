// Cutting DOTA images into tiles with their labels, by the rules of the DOTA development kit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/datasets/dota.h"

namespace grasppanda::datasets {

struct TileGrid {
  std::int64_t size = 1024;  // side of a tile, pixels
  std::int64_t gap = 200;    // overlap of neighbours
};

struct TileOrigin {
  std::int64_t x = 0, y = 0;
};

/// A picture with more tiles is no data set but a slip: a gap next to the size.
inline constexpr std::size_t kMostTiles = 100'000;

/// Along x, then y; a tile that would stick out is moved back to the border. Throws
/// std::invalid_argument unless 0 <= gap < size, io::FormatError (without a file's name) for more
/// than kMostTiles.
std::vector<TileOrigin> tile_origins(std::int64_t width, std::int64_t height, const TileGrid& grid);

/// IMAGE__RATE__X___Y; `rate` as it was typed.
std::string tile_name(std::string_view image, std::string_view rate, const TileOrigin& origin);

/// Labels of one tile, pixels of the tile. `objects`: of the whole image at the size it has here,
/// whole pixels. An object inside of the tile stays as it is; one that sticks out is cut: with four
/// corners left, or five of which the shortest side becomes one corner, it stays, with difficult 2
/// where 70 % of its area or less is left.
std::vector<DotaObject> tile_objects(const std::vector<DotaObject>& objects, std::int64_t width,
                                     std::int64_t height, const TileOrigin& origin,
                                     const TileGrid& grid);

/// Corners cut to whole pixels towards zero, then times `rate`.
std::vector<DotaObject> scaled_objects(std::vector<DotaObject> objects, double rate);

/// Lines `x1 y1 ... x4 y4 class difficult`, numbers like 123.0.
std::string dota_label_text(const std::vector<DotaObject>& objects);

}  // namespace grasppanda::datasets
