// THE list of operators: each by name on named arrays, as `ops run` calls it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/operator_names.h"

namespace grasppanda::ops {

using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

/// Named arrays and parameters of one call. A parameter is a text as typed, or a tensor of one
/// element; an array is a tensor. Every accessor throws ArgumentError naming operator and argument.
class OperatorCall {
 public:
  using Value = std::variant<at::Tensor, std::string>;
  using Values = std::map<std::string, Value, std::less<>>;

  /// Names that the operator does not know are ignored.
  OperatorCall(const OperatorDescription& description, Values values)
      : description_(description), values_(std::move(values)) {}

  at::Tensor array(std::string_view name) const;
  at::Tensor optional_array(std::string_view name) const;  // undefined when not given
  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  std::string text(std::string_view name) const;
  /// Whether a parameter (or its default) is a text rather than a number: "auto", "all".
  bool is_text(std::string_view name) const;

 private:
  const Value* find(std::string_view name) const;
  Value parameter(std::string_view name) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& got,
                           const std::string& wanted) const;

  const OperatorDescription& description_;
  Values values_;
};

struct Operator {
  std::string_view name;
  NamedTensors (*run)(const OperatorCall& call);
};

/// In the order of operator_descriptions().
std::span<const Operator> operators();

/// Runs an operator by name or short name. Throws ArgumentError for an unknown one.
NamedTensors run_operator(std::string_view name, OperatorCall::Values values);

/// The kernel lists of the operators with a choice of backend, in the order of
/// kSelectableOperators.
std::vector<const AnyKernelList*> selectable_kernel_lists();

}  // namespace grasppanda::ops
