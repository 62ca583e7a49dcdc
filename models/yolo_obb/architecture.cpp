#include "models/yolo_obb/architecture.h"

#include <algorithm>
#include <cmath>

namespace grasppanda::models::yolo_obb {

namespace {

/// A row of the published graphs: channels before scaling.
struct Row {
  Block block;
  std::array<int, 2> from;
  int channels;
  int repeats;
  bool shortcut;
  double expansion;
  Inner inner;
};

constexpr int kPrevious = -1, kNone = -1;
constexpr std::array<int, 2> kChain = {kPrevious, kNone};

constexpr Row conv(int channels) {
  return {Block::conv, kChain, channels, 1, false, 0, Inner::bottleneck};
}
constexpr Row c2f(int channels, int repeats, bool shortcut) {
  return {Block::c2f, kChain, channels, repeats, shortcut, 0.5, Inner::bottleneck};
}
constexpr Row c3k2(int channels, double expansion, bool c3k) {
  return {Block::c3k2, kChain, channels, 2, true, expansion, c3k ? Inner::c3k : Inner::bottleneck};
}
constexpr Row sppf(bool add) {
  return {Block::sppf, kChain, 1024, 1, add, 0.5, Inner::bottleneck};
}
constexpr Row c2psa() {
  return {Block::c2psa, kChain, 1024, 2, true, 0.5, Inner::bottleneck};
}
constexpr Row upsample() {
  return {Block::upsample, kChain, 0, 1, false, 0, Inner::bottleneck};
}
constexpr Row concat(int other) {
  return {Block::concat, {kPrevious, other}, 0, 1, false, 0, Inner::bottleneck};
}

constexpr Row kYolov8[] = {
    conv(64),           conv(128),           c2f(128, 3, true),  conv(256),
    c2f(256, 6, true),  conv(512),           c2f(512, 6, true),  conv(1024),
    c2f(1024, 3, true), sppf(false),         upsample(),         concat(6),
    c2f(512, 3, false), upsample(),          concat(4),          c2f(256, 3, false),
    conv(256),          concat(12),          c2f(512, 3, false), conv(512),
    concat(9),          c2f(1024, 3, false),
};
constexpr Row kYolo11[] = {
    conv(64),
    conv(128),
    c3k2(256, 0.25, false),
    conv(256),
    c3k2(512, 0.25, false),
    conv(512),
    c3k2(512, 0.5, true),
    conv(1024),
    c3k2(1024, 0.5, true),
    sppf(false),
    c2psa(),
    upsample(),
    concat(6),
    c3k2(512, 0.5, false),
    upsample(),
    concat(4),
    c3k2(256, 0.5, false),
    conv(256),
    concat(13),
    c3k2(512, 0.5, false),
    conv(512),
    concat(10),
    c3k2(1024, 0.5, true),
};
constexpr Row kYolo26[] = {
    conv(64),
    conv(128),
    c3k2(256, 0.25, false),
    conv(256),
    c3k2(512, 0.25, false),
    conv(512),
    c3k2(512, 0.5, true),
    conv(1024),
    c3k2(1024, 0.5, true),
    sppf(true),
    c2psa(),
    upsample(),
    concat(6),
    c3k2(512, 0.5, true),
    upsample(),
    concat(4),
    c3k2(256, 0.5, true),
    conv(256),
    concat(13),
    c3k2(512, 0.5, true),
    conv(512),
    concat(10),
    {Block::c3k2, kChain, 1024, 1, true, 0.5, Inner::bottleneck_attention},
};

std::span<const Row> rows_of(Family family) {
  switch (family) {
    case Family::yolov8:
      return kYolov8;
    case Family::yolo11:
      return kYolo11;
    case Family::yolo26:
      break;
  }
  return kYolo26;
}

std::array<int, 3> levels_of(Family family) {
  return family == Family::yolov8 ? std::array{15, 18, 21} : std::array{16, 19, 22};
}

struct Scale {
  char name;
  double depth, width;
  int max_channels;
};
constexpr Scale kScalesOfYolov8[] = {{'n', 0.33, 0.25, 1024},
                                     {'s', 0.33, 0.50, 1024},
                                     {'m', 0.67, 0.75, 768},
                                     {'l', 1.00, 1.00, 512},
                                     {'x', 1.00, 1.25, 512}};
constexpr Scale kScalesOfLater[] = {{'n', 0.50, 0.25, 1024},
                                    {'s', 0.50, 0.50, 1024},
                                    {'m', 0.50, 1.00, 512},
                                    {'l', 1.00, 1.00, 512},
                                    {'x', 1.00, 1.50, 512}};

Scale scale_of(Family family, char name) {
  const std::span<const Scale> scales =
      family == Family::yolov8 ? std::span<const Scale>(kScalesOfYolov8) : kScalesOfLater;
  return *std::ranges::find(scales, name, &Scale::name);
}

std::int64_t scaled_channels(int channels, const Scale& scale) {
  const double wide = std::min(channels, scale.max_channels) * scale.width;
  return static_cast<std::int64_t>(std::ceil(wide / 8)) * 8;
}

int scaled_repeats(int repeats, const Scale& scale) {
  if (repeats <= 1) return repeats;
  return std::max(static_cast<int>(std::nearbyint(repeats * scale.depth)), 1);
}

}  // namespace

std::string_view family_name(Family family) {
  switch (family) {
    case Family::yolov8:
      return "yolov8";
    case Family::yolo11:
      return "yolo11";
    case Family::yolo26:
      break;
  }
  return "yolo26";
}

std::optional<Family> family_of(std::string_view name) {
  for (const Family family : {Family::yolov8, Family::yolo11, Family::yolo26}) {
    if (family_name(family) == name) return family;
  }
  return std::nullopt;
}

Architecture architecture(Family family, char scale_name, std::int64_t classes) {
  const Scale scale = scale_of(family, scale_name);
  Architecture net{.family = family,
                   .scale = std::string(1, scale_name),
                   .layers = {},
                   .levels = levels_of(family),
                   .classes = classes,
                   .reg_max = family == Family::yolo26 ? 1 : 16};
  // From m on the later families use C3k everywhere, whatever their tables say.
  const bool c3k_everywhere =
      family != Family::yolov8 && std::string_view("mlx").find(scale_name) != std::string::npos;
  std::int64_t previous = 3;
  for (const Row& row : rows_of(family)) {
    Layer layer{.block = row.block, .from = row.from, .in = previous, .out = previous};
    if (row.block == Block::concat) {
      layer.in = layer.out = previous + net.layers[static_cast<std::size_t>(row.from[1])].out;
    } else if (row.block != Block::upsample) {
      layer.out = scaled_channels(row.channels, scale);
      layer.repeats = scaled_repeats(row.repeats, scale);
      layer.shortcut = row.shortcut;
      layer.inner = row.inner == Inner::bottleneck && row.block == Block::c3k2 && c3k_everywhere
                        ? Inner::c3k
                        : row.inner;
      const std::int64_t wide = row.block == Block::sppf ? layer.in : layer.out;
      layer.hidden = static_cast<std::int64_t>(static_cast<double>(wide) * row.expansion);
    }
    previous = layer.out;
    net.layers.push_back(layer);
  }
  return net;
}

HeadWidths head_widths(const Architecture& net) {
  const std::int64_t ch0 = net.channels(0);
  return {.box = std::max({std::int64_t{16}, ch0 / 4, 4 * net.reg_max}),
          .score = std::max(ch0, std::min<std::int64_t>(net.classes, 100)),
          .angle = std::max<std::int64_t>(ch0 / 4, 1)};
}

AttentionShape attention_shape(std::int64_t channels) {
  const std::int64_t heads = std::max<std::int64_t>(channels / 64, 1);
  return {heads, channels / heads, channels / heads / 2};
}

}  // namespace grasppanda::models::yolo_obb
