#include "lib/io/tiff_bands.h"

#include <cstdint>

namespace grasppanda::io {

bool has_unnamed_fourth_band(TIFF* file) {
  std::uint16_t bands = 1, count = 0;
  const std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &bands);
  if (bands != 4) return false;
  TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  if (count == 0 || kinds == nullptr) return true;
  const std::uint16_t last = kinds[count - 1];
  return last != EXTRASAMPLE_ASSOCALPHA && last != EXTRASAMPLE_UNASSALPHA;
}

}  // namespace grasppanda::io
