// The three families of YOLO-OBB as tables, and what a network of them consists of: built from
// family and scale, or measured from a checkpoint's own tensors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"

namespace grasppanda::models::yolo_obb {

enum class Family : std::uint8_t { yolov8, yolo11, yolo26 };
std::string_view family_name(Family family);
std::optional<Family> family_of(std::string_view name);

enum class Block : std::uint8_t { conv, c2f, c3k2, sppf, c2psa, upsample, concat };

/// What repeats inside of C2f and C3k2.
enum class Inner : std::uint8_t { bottleneck, c3k, bottleneck_attention };

struct Layer {
  Block block;
  std::array<int, 2> from;  // layers whose outputs it takes; -1: the one before; second -1: none
  std::int64_t in, out;     // channels
  std::int64_t hidden = 0;  // of the C2f kind, SPPF and C2PSA
  int repeats = 0;
  bool shortcut = false;  // of bottlenecks; SPPF: the input is added
  Inner inner = Inner::bottleneck;

  bool operator==(const Layer&) const = default;
};

/// The head is one layer behind `layers`.
struct Architecture {
  Family family = Family::yolov8;
  std::string scale;  // "n", "s", "m", "l", "x"; "custom": of no published scale
  std::vector<Layer> layers;
  std::array<int, 3> levels{};  // P3, P4, P5: their layers
  std::int64_t classes = 0;
  std::int64_t reg_max = 16;  // bins of a box side; 1: plain numbers

  bool two_branches() const { return family == Family::yolo26; }
  std::string head() const { return "model." + std::to_string(layers.size()); }
  std::int64_t channels(std::size_t level) const {
    return layers[static_cast<std::size_t>(levels[level])].out;
  }
};

inline constexpr std::array<std::int64_t, 3> kStrides = {8, 16, 32};
inline constexpr std::string_view kScales = "nsmlx";

/// A published network. `scale`: one of kScales.
Architecture architecture(Family family, char scale, std::int64_t classes);

/// Hidden channels of the head's branches, for channels c of a level and ch0 of P3.
struct HeadWidths {
  std::int64_t box, score, angle;
};
HeadWidths head_widths(const Architecture& net);

/// Attention over c channels.
struct AttentionShape {
  std::int64_t heads, head_dim, key_dim;
};
AttentionShape attention_shape(std::int64_t channels);

/// The family whose telling keys the tensors have.
std::optional<Family> told_family(std::span<const io::NamedArray> tensors);

/// The network that the tensors make, channel by channel; where they are incomplete, the published
/// network of that family that fits them best. Throws CheckpointError when they are of no family.
Architecture told_architecture(std::span<const io::NamedArray> tensors);

/// Every tensor of the network under its checkpoint name. A convolution that the file holds with a
/// bias in place of a batch norm (fused) is expected like that.
std::vector<ExpectedTensor> tensors_of(const Architecture& net,
                                       std::span<const io::NamedArray> tensors = {});

}  // namespace grasppanda::models::yolo_obb
