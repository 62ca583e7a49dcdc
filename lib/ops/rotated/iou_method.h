// The two ways to measure the overlap of rotated boxes.
#pragma once

#include <cstdint>
#include <string_view>

namespace grasppanda::ops {

/// exact: of polygons. sampled: counted on a grid of points, as oriented-det does on a GPU.
enum class IouMethod : std::uint8_t { exact, sampled };

/// "exact" or "sampled"; throws ArgumentError for anything else, in the name of `op`.
IouMethod parse_iou_method(std::string_view op, std::string_view name);

}  // namespace grasppanda::ops
