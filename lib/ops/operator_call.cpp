#include <ATen/ATen.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "lib/ops/argument_check.h"
#include "lib/ops/operator_list.h"

namespace grasppanda::ops {
namespace {

std::string from_bytes(const at::Tensor& tensor) {
  const at::Tensor bytes = tensor.to(at::kCPU).contiguous();
  return {reinterpret_cast<const char*>(bytes.data_ptr<uint8_t>()),
          static_cast<std::size_t>(bytes.numel())};
}

bool parse_number(const std::string& text, double& number) {
  if (text.empty()) return false;
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

}  // namespace

void OperatorCall::refuse(std::string_view name, const std::string& got,
                          const std::string& wanted) const {
  refuse_argument(description_.name, name, got, wanted);
}

const OperatorCall::Value* OperatorCall::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

at::Tensor OperatorCall::optional_array(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (const auto* tensor = std::get_if<at::Tensor>(value)) return *tensor;
  refuse(name, "is the text '" + std::get<std::string>(*value) + "'", "an array");
}

at::Tensor OperatorCall::array(std::string_view name) const {
  const at::Tensor tensor = optional_array(name);
  if (tensor.defined()) return tensor;
  for (const ArrayDescription& input : description_.inputs)
    if (input.name == name) refuse(name, "is missing", "an array " + std::string(input.content));
  refuse(name, "is missing", "an array");
}

OperatorCall::Value OperatorCall::parameter(std::string_view name) const {
  if (const Value* value = find(name)) {
    const auto* tensor = std::get_if<at::Tensor>(value);
    if (tensor != nullptr && tensor->scalar_type() == at::kByte && tensor->dim() == 1)
      return from_bytes(*tensor);
    if (tensor != nullptr && tensor->numel() != 1)
      refuse(name, "has shape " + shape_text(*tensor), "a single value");
    return *value;
  }
  for (const ParameterDescription& parameter : description_.parameters)
    if (parameter.name == name) {
      if (parameter.fallback.empty())
        refuse(name, "is missing", "a value (" + std::string(parameter.content) + ")");
      return std::string(parameter.fallback);
    }
  refuse(name, "is missing", "a value");
}

double OperatorCall::number(std::string_view name) const {
  const Value value = parameter(name);
  if (const auto* tensor = std::get_if<at::Tensor>(&value)) return tensor->item<double>();
  double number = 0;
  const std::string& text = std::get<std::string>(value);
  if (!parse_number(text, number)) refuse(name, "is '" + text + "'", "a number");
  return number;
}

int64_t OperatorCall::integer(std::string_view name) const {
  const Value value = parameter(name);
  if (const auto* tensor = std::get_if<at::Tensor>(&value)) {
    if (!tensor->is_floating_point()) return tensor->item<int64_t>();
    const double number = tensor->item<double>();
    if (number != std::floor(number) || std::abs(number) > 9e15)
      refuse(name, "is " + std::to_string(number), "an integer");
    return static_cast<int64_t>(number);
  }
  const std::string& text = std::get<std::string>(value);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse(name, "is '" + text + "'", "an integer");
  return number;
}

bool OperatorCall::boolean(std::string_view name) const {
  const Value value = parameter(name);
  if (const auto* tensor = std::get_if<at::Tensor>(&value)) return tensor->item<double>() != 0;
  const std::string& text = std::get<std::string>(value);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  refuse(name, "is '" + text + "'", "true or false");
}

bool OperatorCall::is_text(std::string_view name) const {
  return std::holds_alternative<std::string>(parameter(name));
}

std::string OperatorCall::text(std::string_view name) const {
  const Value value = parameter(name);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  refuse(name, "is a number", "a text");
}

}  // namespace grasppanda::ops
