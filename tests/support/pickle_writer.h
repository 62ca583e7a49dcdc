// Writes pickles (protocol 2) step by step: checkpoints as PyTorch writes them, and those that
// nobody should.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::tests {

class PickleWriter {
 public:
  PickleWriter() : bytes_("\x80\x02") {}

  PickleWriter& step(char opcode) { return raw({&opcode, 1}); }
  PickleWriter& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  PickleWriter& global(std::string_view module, std::string_view name) {
    return step('c').raw(module).raw("\n").raw(name).raw("\n");
  }
  PickleWriter& text(std::string_view text) {
    return step('X').little_endian(text.size(), 4).raw(text);
  }
  PickleWriter& integer(std::int64_t value) {
    if (value >= 0 && value < 256)
      return step('K').little_endian(static_cast<std::uint64_t>(value), 1);
    return step('\x8a').raw("\x08").little_endian(static_cast<std::uint64_t>(value), 8);
  }
  PickleWriter& boolean(bool value) { return step(value ? '\x88' : '\x89'); }
  PickleWriter& real(double value);
  PickleWriter& integers(const std::vector<std::int64_t>& values);  // a tuple
  PickleWriter& empty_ordered_dict() { return global("collections", "OrderedDict").raw(")R"); }
  /// Null, booleans, numbers, texts, lists and objects (as dicts).
  PickleWriter& json(const nlohmann::ordered_json& value);
  PickleWriter& little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  /// The pickle, ended.
  std::string stop() const { return bytes_ + '.'; }

 private:
  std::string bytes_;
};

}  // namespace grasppanda::tests
