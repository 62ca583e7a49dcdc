#include "lib/datasets/bicubic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace grasppanda::datasets {
namespace {

// Four neighbours of every output pixel along an axis, and their weights.
struct Tap {
  std::array<std::int64_t, 4> source;
  std::array<float, 4> weight;
};

std::vector<Tap> taps(std::int64_t from, std::int64_t to, double rate) {
  std::vector<Tap> result(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / rate - 0.5;
    const double floor = std::floor(at), t = at - floor;
    Tap& tap = result[static_cast<std::size_t>(i)];
    constexpr double a = -0.75;
    const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    const std::array<double, 4> weights = {far(t + 1), near(t), near(1 - t), far(2 - t)};
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int64_t place =
          static_cast<std::int64_t>(floor) - 1 + static_cast<std::int64_t>(k);
      tap.source[k] = std::clamp<std::int64_t>(place, 0, from - 1);
      tap.weight[k] = static_cast<float>(weights[k]);
    }
  }
  return result;
}

template <class T>
void resize(const T* in, std::int64_t in_width, int channels, const std::vector<Tap>& columns,
            const std::vector<Tap>& rows, T* out) {
  const std::size_t in_row =
      static_cast<std::size_t>(in_width) * static_cast<std::size_t>(channels);
  const std::size_t out_row = columns.size() * static_cast<std::size_t>(channels);
  std::vector<float> mixed(in_row);
  for (const Tap& row : rows) {
    for (std::size_t i = 0; i < in_row; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        sum += row.weight[k] *
               static_cast<float>(in[static_cast<std::size_t>(row.source[k]) * in_row + i]);
      }
      mixed[i] = sum;
    }
    for (std::size_t x = 0; x < columns.size(); ++x) {
      for (int c = 0; c < channels; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          sum += columns[x].weight[k] *
                 mixed[static_cast<std::size_t>(columns[x].source[k] * channels + c)];
        }
        const float most = static_cast<float>(std::numeric_limits<T>::max());
        out[x * static_cast<std::size_t>(channels) + static_cast<std::size_t>(c)] =
            static_cast<T>(std::nearbyint(std::clamp(sum, 0.0F, most)));
      }
    }
    out += out_row;
  }
}

}  // namespace

io::Image resize_bicubic(const io::Image& image, double rate) {
  if (!(rate > 0) || !std::isfinite(rate)) {
    throw std::invalid_argument("a picture is scaled by a number above 0");
  }
  io::Image result = image;
  const auto scaled = [rate](std::int64_t length) {
    return std::max<std::int64_t>(std::llrint(static_cast<double>(length) * rate), 1);
  };
  result.width = scaled(image.width);
  result.height = scaled(image.height);
  const double bytes = static_cast<double>(result.width) * static_cast<double>(result.height) *
                       image.channels * (image.bits / 8);
  if (bytes > static_cast<double>(io::kMaxImageBytes)) {
    throw std::invalid_argument("the scaled picture would be too large");
  }
  result.pixels.resize(result.samples() * static_cast<std::size_t>(image.bits / 8));
  const std::vector<Tap> columns = taps(image.width, result.width, rate);
  const std::vector<Tap> rows = taps(image.height, result.height, rate);
  if (image.bits == 16) {
    std::vector<std::uint16_t> out(result.samples());
    resize(image.u16().data(), image.width, image.channels, columns, rows, out.data());
    std::memcpy(result.pixels.data(), out.data(), result.pixels.size());
  } else {
    resize(image.pixels.data(), image.width, image.channels, columns, rows, result.pixels.data());
  }
  return result;
}

}  // namespace grasppanda::datasets
