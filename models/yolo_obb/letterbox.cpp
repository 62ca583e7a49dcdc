#include "models/yolo_obb/letterbox.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace grasppanda::models::yolo_obb {

namespace {

constexpr std::int64_t kMultiple = 32;  // the largest stride
constexpr std::uint8_t kBorder = 114;
constexpr float kUnit = 2048;  // of the weights

/// Half to even, as the reference rounds.
std::int64_t rounded(double value) {
  return static_cast<std::int64_t>(std::nearbyint(value));
}

struct Tap {
  std::int64_t first, second;  // indices
  int weight_first, weight_second;
};

enum class Border { fraction_clamped, index_clamped };

std::vector<Tap> taps(std::int64_t from, std::int64_t to, Border border) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Tap> result(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    auto fraction = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
    auto index = static_cast<std::int64_t>(std::floor(fraction));
    fraction -= static_cast<float>(index);
    if (border == Border::fraction_clamped) {
      if (index < 0) index = 0, fraction = 0;
      if (index >= from - 1) index = from - 1, fraction = 0;
    }
    result[static_cast<std::size_t>(i)] = {
        std::clamp<std::int64_t>(index, 0, from - 1),
        std::clamp<std::int64_t>(index + 1, 0, from - 1),
        static_cast<int>(std::nearbyint((1.0F - fraction) * kUnit)),
        static_cast<int>(std::nearbyint(fraction * kUnit))};
  }
  return result;
}

void stretch_row(const std::uint8_t* from, const std::vector<Tap>& columns, int* to) {
  for (const Tap& tap : columns) {
    const std::uint8_t *a = from + 3 * tap.first, *b = from + 3 * tap.second;
    for (int c = 0; c < 3; ++c) *to++ = tap.weight_first * a[c] + tap.weight_second * b[c];
  }
}

}  // namespace

Letterbox letterbox(std::int64_t image_width, std::int64_t image_height, std::int64_t size) {
  const std::int64_t side = (size + kMultiple - 1) / kMultiple * kMultiple;
  const auto w = static_cast<double>(image_width), h = static_cast<double>(image_height);
  const double scale = std::min(static_cast<double>(side) / h, static_cast<double>(side) / w);
  Letterbox box{.image_width = image_width,
                .image_height = image_height,
                .width = std::max<std::int64_t>(rounded(w * scale), 1),
                .height = std::max<std::int64_t>(rounded(h * scale), 1)};
  const auto split = [side](std::int64_t length, std::int64_t& before, std::int64_t& after) {
    const double half = static_cast<double>((side - length) % kMultiple) / 2;
    before = rounded(half - 0.1);
    after = rounded(half + 0.1);
  };
  split(box.width, box.left, box.right);
  split(box.height, box.top, box.bottom);
  return box;
}

at::Tensor resize_bilinear(const at::Tensor& rgb, std::int64_t width, std::int64_t height) {
  const at::Tensor source = rgb.contiguous();
  const std::int64_t from_height = source.size(0), from_width = source.size(1);
  const std::vector<Tap> columns = taps(from_width, width, Border::fraction_clamped);
  const std::vector<Tap> rows = taps(from_height, height, Border::index_clamped);
  at::Tensor result = at::empty({height, width, 3}, at::kByte);
  const auto* from = source.const_data_ptr<std::uint8_t>();
  auto* to = result.mutable_data_ptr<std::uint8_t>();
  const auto row_samples = static_cast<std::size_t>(3 * width);
  at::parallel_for(0, height, 32, [&](std::int64_t begin, std::int64_t end) {
    // The two stretched source rows of the last output row: the next one mostly needs them again.
    std::array<std::vector<int>, 2> stretched = {std::vector<int>(row_samples),
                                                 std::vector<int>(row_samples)};
    std::array<std::int64_t, 2> held = {-1, -1};
    for (std::int64_t y = begin; y < end; ++y) {
      const Tap& tap = rows[static_cast<std::size_t>(y)];
      if (held[1] == tap.first) {
        std::swap(stretched[0], stretched[1]);
        std::swap(held[0], held[1]);
      }
      const std::array<std::int64_t, 2> wanted = {tap.first, tap.second};
      for (std::size_t i = 0; i < 2; ++i) {
        if (held[i] == wanted[i]) continue;
        stretch_row(from + 3 * from_width * wanted[i], columns, stretched[i].data());
        held[i] = wanted[i];
      }
      std::uint8_t* out = to + static_cast<std::size_t>(y) * row_samples;
      const int *p0 = stretched[0].data(), *p1 = stretched[1].data();
      const int b0 = tap.weight_first, b1 = tap.weight_second;
      for (std::size_t i = 0; i < row_samples; ++i) {
        const int sum = ((b0 * (p0[i] >> 4)) >> 16) + ((b1 * (p1[i] >> 4)) >> 16);
        out[i] = static_cast<std::uint8_t>((sum + 2) >> 2);
      }
    }
  });
  return result;
}

at::Tensor letterboxed(const at::Tensor& rgb, const Letterbox& box) {
  const bool same_size = box.width == box.image_width && box.height == box.image_height;
  const at::Tensor scaled =
      same_size ? rgb.contiguous() : resize_bilinear(rgb, box.width, box.height);
  if (box.left + box.right + box.top + box.bottom == 0) return scaled;
  at::Tensor result = at::empty({box.input_height(), box.input_width(), 3}, at::kByte);
  result.fill_(kBorder);
  result.narrow(0, box.top, box.height).narrow(1, box.left, box.width).copy_(scaled);
  return result;
}

at::Tensor network_input(const std::vector<at::Tensor>& pictures) {
  static const std::array<float, 256> in_unit = [] {
    std::array<float, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 255.0F;
    return table;
  }();
  const auto batch = static_cast<std::int64_t>(pictures.size());
  const std::int64_t height = pictures.front().size(0), width = pictures.front().size(1);
  at::Tensor input = at::empty({batch, 3, height, width}, at::TensorOptions().dtype(at::kFloat),
                               at::MemoryFormat::ChannelsLast);
  auto* to = input.mutable_data_ptr<float>();
  for (const at::Tensor& picture : pictures) {
    const at::Tensor bytes = picture.contiguous();
    const auto* from = bytes.const_data_ptr<std::uint8_t>();
    at::parallel_for(0, bytes.numel(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = in_unit[from[i]];
    });
    to += bytes.numel();
  }
  return input;
}

BackToPicture::BackToPicture(const Letterbox& box) {
  const auto w = static_cast<double>(box.image_width), h = static_cast<double>(box.image_height);
  const auto in_w = static_cast<double>(box.input_width());
  const auto in_h = static_cast<double>(box.input_height());
  const double gain = std::min(in_h / h, in_w / w);
  const double height = std::max(std::nearbyint(h * gain), 1.0);
  const double width = std::max(std::nearbyint(w * gain), 1.0);
  scale_x = width / w;
  scale_y = height / h;
  left = std::nearbyint((in_w - width) / 2 - 0.1);
  top = std::nearbyint((in_h - height) / 2 - 0.1);
}

}  // namespace grasppanda::models::yolo_obb
