#include "tests/support/pickle_writer.h"

#include <bit>

namespace grasppanda::tests {

PickleWriter& PickleWriter::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  step('G');
  for (int shift = 56; shift >= 0; shift -= 8) step(static_cast<char>(bits >> shift & 0xff));
  return *this;
}

PickleWriter& PickleWriter::integers(const std::vector<std::int64_t>& values) {
  step('(');
  for (const std::int64_t value : values) integer(value);
  return step('t');
}

PickleWriter& PickleWriter::json(const nlohmann::ordered_json& value) {
  if (value.is_null()) return step('N');
  if (value.is_boolean()) return boolean(value);
  if (value.is_number_integer()) return integer(value);
  if (value.is_number()) return real(value);
  if (value.is_string()) return text(value.get<std::string>());
  if (value.is_array()) {
    step(']').step('(');
    for (const auto& item : value) json(item);
    return step('e');
  }
  step('}').step('(');
  for (const auto& [key, item] : value.items()) text(key).json(item);
  return step('u');
}

}  // namespace grasppanda::tests
