// One checked value of a configuration, with its origin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/config/key_table.h"

namespace grasppanda::config {

struct Value {
  Type type = Type::text;
  bool is_word = false;    // one of the key's bare words; it stands in `text`
  bool is_fields = false;  // the map form ({fx, fy, cx, cy}); in `numbers`
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;  // text, path, word
  std::vector<double> numbers;
  std::vector<std::string> texts;
  const Key* key = nullptr;        // row of a static table
  std::string origin = "default";  // "run.yaml:12", "--set", ...
  std::filesystem::path base;      // folder that a relative path is relative to; empty: cwd
};

}  // namespace grasppanda::config
