#include "models/mmrotate/preprocess.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace grasppanda::models::mmrotate {

namespace {

constexpr std::array<float, 3> kMean = {123.675F, 116.28F, 103.53F};  // red, green, blue
constexpr std::array<float, 3> kStd = {58.395F, 57.12F, 57.375F};
constexpr std::int64_t kPadDivisor = 32;

constexpr int kWeightBits = 11;  // weights of OpenCV's rule are whole 2048ths

/// Where a pixel of the result lies between two of the source.
struct Tap {
  std::int64_t first, second;
  std::int32_t weight_first, weight_second;
};

std::int32_t whole_weight(float share) {
  return static_cast<std::int32_t>(std::nearbyint(share * static_cast<float>(1 << kWeightBits)));
}

/// `keep_fraction`: rows keep theirs at the border, where only the indices are clamped; columns
/// lose it.
std::vector<Tap> taps(std::int64_t from, std::int64_t to, bool keep_fraction) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Tap> result;
  for (std::int64_t i = 0; i < to; ++i) {
    float at = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
    auto first = static_cast<std::int64_t>(std::floor(at));
    float fraction = at - static_cast<float>(first);
    if (!keep_fraction) {
      if (first < 0) fraction = 0, first = 0;
      if (first >= from - 1) fraction = 0, first = from - 1;
    }
    const auto inside = [&](std::int64_t index) {
      return std::clamp<std::int64_t>(index, 0, from - 1);
    };
    result.push_back(
        {inside(first), inside(first + 1), whole_weight(1.0F - fraction), whole_weight(fraction)});
  }
  return result;
}

std::int64_t padded(std::int64_t side) {
  return (side + kPadDivisor - 1) / kPadDivisor * kPadDivisor;
}

}  // namespace

Resizing resizing(std::int64_t width, std::int64_t height, std::int64_t side) {
  const double scale =
      std::min(static_cast<double>(side) / static_cast<double>(std::max(width, height)),
               static_cast<double>(side) / static_cast<double>(std::min(width, height)));
  // A side of no pixel would be nothing to look at.
  const auto scaled = [&](std::int64_t length) {
    return std::max<std::int64_t>(
        static_cast<std::int64_t>(static_cast<double>(length) * scale + 0.5), 1);
  };
  Resizing to{width, height, scaled(width), scaled(height), 0, 0};
  to.padded_width = padded(to.resized_width);
  to.padded_height = padded(to.resized_height);
  return to;
}

at::Tensor resized_bilinear(const at::Tensor& picture, std::int64_t width, std::int64_t height) {
  if (picture.size(1) == width && picture.size(0) == height) return picture;
  const at::Tensor source = picture.contiguous();
  at::Tensor result = at::empty({height, width, 3}, at::kByte);
  const std::vector<Tap> columns = taps(source.size(1), width, false);
  const std::vector<Tap> rows = taps(source.size(0), height, true);
  const auto* from = source.const_data_ptr<std::uint8_t>();
  auto* to = result.mutable_data_ptr<std::uint8_t>();
  const std::int64_t source_row = source.size(1) * 3;
  at::parallel_for(0, height, 16, [&](std::int64_t begin, std::int64_t end) {
    const auto line_size = static_cast<std::size_t>(width * 3);
    std::array<std::vector<std::int32_t>, 2> lines = {std::vector<std::int32_t>(line_size),
                                                      std::vector<std::int32_t>(line_size)};
    const auto across = [&](std::int64_t row, std::vector<std::int32_t>& line) {
      const std::uint8_t* pixels = from + row * source_row;
      for (std::size_t x = 0; x < columns.size(); ++x) {
        const Tap& tap = columns[x];
        for (std::size_t c = 0; c < 3; ++c) {
          line[3 * x + c] =
              pixels[3 * static_cast<std::size_t>(tap.first) + c] * tap.weight_first +
              pixels[3 * static_cast<std::size_t>(tap.second) + c] * tap.weight_second;
        }
      }
    };
    for (std::int64_t y = begin; y < end; ++y) {
      const Tap& tap = rows[static_cast<std::size_t>(y)];
      across(tap.first, lines[0]);
      across(tap.second, lines[1]);
      std::uint8_t* out = to + y * width * 3;
      for (std::size_t i = 0; i < line_size; ++i) {
        const std::int32_t value = ((tap.weight_first * (lines[0][i] >> 4)) >> 16) +
                                   ((tap.weight_second * (lines[1][i] >> 4)) >> 16);
        out[i] = static_cast<std::uint8_t>(std::clamp((value + 2) >> 2, 0, 255));
      }
    }
  });
  return result;
}

at::Tensor network_input(const at::Tensor& picture, const Resizing& to) {
  const at::Tensor pixels =
      resized_bilinear(picture, to.resized_width, to.resized_height).contiguous();
  // Written as (1, Hp, Wp, 3), which is (1, 3, Hp, Wp) in channels-last.
  at::Tensor input = at::zeros({1, to.padded_height, to.padded_width, 3}, at::kFloat);
  const auto* from = pixels.const_data_ptr<std::uint8_t>();
  auto* result = input.mutable_data_ptr<float>();
  // 256 values a channel: the table holds exactly what the arithmetic gives.
  std::array<std::array<float, 256>, 3> table{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t v = 0; v < 256; ++v)
      table[c][v] = (static_cast<float>(v) - kMean[c]) / kStd[c];
  }
  at::parallel_for(0, to.resized_height, 32, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      const std::uint8_t* pixel = from + y * to.resized_width * 3;
      float* value = result + y * to.padded_width * 3;
      for (std::int64_t x = 0; x < to.resized_width; ++x, pixel += 3, value += 3) {
        for (std::size_t c = 0; c < 3; ++c) value[c] = table[c][pixel[c]];
      }
    }
  });
  return input.permute({0, 3, 1, 2});
}

}  // namespace grasppanda::models::mmrotate
