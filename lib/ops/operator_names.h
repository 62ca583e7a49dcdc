// What can be said about the operators without LibTorch: names, arrays, parameters. Feeds help,
// completion and suggestions of the program and, joined with the functions of operator_list.h,
// `ops run`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace grasppanda::ops {

struct ArrayDescription {
  std::string_view name;
  std::string_view content;  // "(B, N, 3) float"
  bool required = true;
};

enum class ParameterKind : std::uint8_t { number, integer, boolean, text };

struct ParameterDescription {
  std::string_view name;
  ParameterKind kind;
  std::string_view fallback;  // as typed; empty: must be given
  std::string_view content;   // "metres", "lowest_index | pointnet2_cuda"
};

struct OperatorDescription {
  std::string_view name;        // "furthest_point_sample"
  std::string_view short_name;  // "fps", or the name again
  std::string_view family;      // the folder of lib/ops and the page of docs/ops
  std::string_view summary;     // one line for help
  std::span<const ArrayDescription> inputs;
  std::span<const ParameterDescription> parameters;
  std::span<const ArrayDescription> outputs;
};

/// In the order shown to users, which is that of operator_list.h.
std::span<const OperatorDescription> operator_descriptions();

/// By name or short name; null when there is none.
const OperatorDescription* find_operator_description(std::string_view name);

}  // namespace grasppanda::ops
