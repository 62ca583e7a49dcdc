#include "lib/datasets/band_values.h"

#include <algorithm>
#include <cmath>

#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

constexpr int kDark = 8;

}  // namespace

void BandCounts::add(const std::uint16_t* pixels, std::int64_t count, int channels,
                     const std::array<int, 3>& bands) {
  for (std::size_t b = 0; b < 3; ++b) {
    std::uint64_t* counts = counts_[b].data();
    const std::uint16_t* sample = pixels + bands[b];
    for (std::int64_t i = 0; i < count; ++i, sample += channels) ++counts[*sample];
  }
}

double BandCounts::percentile(std::size_t band, double percent) const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts_[band]) all += count;
  const double wanted = static_cast<double>(all) * percent / 100;
  std::uint64_t below = 0;
  for (std::size_t value = 0; value < counts_[band].size(); ++value) {
    below += counts_[band][value];
    if (below > 0 && static_cast<double>(below) >= wanted) return static_cast<double>(value);
  }
  return 65535;
}

BandValues::BandValues(const io::ImageHeader& header, const std::array<int, 3>& bands,
                       const BandCounts* counts, const std::array<double, 2>& percent)
    : bands_(bands), channels_(header.channels), bits_(header.bits) {
  for (std::size_t b = 0; b < 3; ++b) {
    std::vector<std::uint8_t>& table = tables_[b];
    if (bits_ == 8) {
      const int full = header.file_bits < 8 ? (1 << header.file_bits) - 1 : 255;
      table.resize(256);
      for (int v = 0; v < 256; ++v) {
        table[static_cast<std::size_t>(v)] =
            static_cast<std::uint8_t>(std::min(v, full) * 255 / full);
      }
      continue;
    }
    table.resize(65536);
    const double low = counts == nullptr ? 0 : counts->percentile(b, percent[0]);
    const double high = counts == nullptr ? 0 : counts->percentile(b, percent[1]);
    for (int v = 0; v < 65536; ++v) {
      const double stretched = high > low ? (v - low) / (high - low) * 255 : v > low ? 255.0 : 0.0;
      table[static_cast<std::size_t>(v)] =
          counts == nullptr
              ? static_cast<std::uint8_t>(v >> 8)
              : static_cast<std::uint8_t>(std::lround(std::clamp(stretched, 0.0, 255.0)));
    }
  }
}

void BandValues::convert(const std::uint8_t* pixels, std::int64_t count, std::uint8_t* rgb) {
  const auto run = [&](const auto* samples) {
    for (std::size_t b = 0; b < 3; ++b) {
      const std::uint8_t* table = tables_[b].data();
      const auto* sample = samples + bands_[b];
      std::uint8_t* to = rgb + b;
      for (std::int64_t i = 0; i < count; ++i, sample += channels_, to += 3) {
        *to = table[*sample];
        dark_ += *to < kDark;
      }
    }
  };
  if (bits_ == 16) {
    run(reinterpret_cast<const std::uint16_t*>(pixels));
  } else {
    run(pixels);
  }
  samples_ += 3 * static_cast<std::uint64_t>(count);
}

double BandValues::dark_share() const {
  return samples_ == 0 ? 0 : static_cast<double>(dark_) / static_cast<double>(samples_);
}

std::array<int, 3> chosen_bands(const io::ImageHeader& header,
                                const std::optional<std::array<int, 3>>& wanted,
                                const std::string& file) {
  // Up to four channels are grey, grey + alpha, RGB, RGB + alpha; a choice of bands is for more.
  if (header.channels <= 2) return {0, 0, 0};
  if (header.channels == 3 || !wanted) return {0, 1, 2};
  for (const int band : *wanted) {
    if (band >= header.channels) {
      throw io::FormatError(file + ": has " + std::to_string(header.channels) +
                            " bands, input.bands wants band " + std::to_string(band) +
                            " (counted from 0)");
    }
  }
  return *wanted;
}

}  // namespace grasppanda::datasets
