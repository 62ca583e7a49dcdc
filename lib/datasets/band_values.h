// From samples of any depth and number of bands to 8-bit RGB.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/io/image_rows.h"

namespace grasppanda::datasets {

/// How often each value occurs in the three bands that count.
class BandCounts {
 public:
  BandCounts() : counts_(3, std::vector<std::uint64_t>(65536)) {}
  void add(const std::uint16_t* pixels, std::int64_t count, int channels,
           const std::array<int, 3>& bands);
  /// The value that `percent` of the samples of a band lie at or below.
  double percentile(std::size_t band, double percent) const;

 private:
  std::vector<std::vector<std::uint64_t>> counts_;
};

/// Turns pixels into RGB by one table a band.
class BandValues {
 public:
  /// `counts`: null takes the high byte of deep samples; else their percentiles are stretched.
  BandValues(const io::ImageHeader& header, const std::array<int, 3>& bands,
             const BandCounts* counts, const std::array<double, 2>& percent);

  /// `pixels`: interleaved samples as io::Image has them.
  void convert(const std::uint8_t* pixels, std::int64_t count, std::uint8_t* rgb);

  /// Share of samples so far that are nearly black (below 8 of 255).
  double dark_share() const;

 private:
  std::array<std::vector<std::uint8_t>, 3> tables_;
  std::array<int, 3> bands_;
  int channels_, bits_;
  std::uint64_t samples_ = 0, dark_ = 0;
};

/// The bands that are red, green and blue. Throws io::FormatError naming file and key when the
/// picture lacks one.
std::array<int, 3> chosen_bands(const io::ImageHeader& header,
                                const std::optional<std::array<int, 3>>& wanted,
                                const std::string& file);

}  // namespace grasppanda::datasets
