// The key table: one row per configuration key. It feeds parsing, --set, help, docs, completion.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace grasppanda::config {

enum class Type { boolean, integer, number, text, path, numbers, texts };

/// A row is plain data; `words` are accepted in place of a value of `type` ("auto", "none", ...).
/// A choice is a `text` key with `words` and `only_words` (`texts`: each item is one of `words`).
/// A path in quotes is a file, also when it is called like a word: "none".
struct Key {
  std::string_view path;  // "input.depth.scale"
  Type type = Type::text;
  std::string_view default_yaml;  // as in a file: "auto", "[r, g, b]"; "": must be given
  std::string_view help;          // one line, with the unit
  std::vector<std::string_view> words{};
  bool only_words = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_exclusive = false;
  int count = 0;       // numbers, texts: how many; 0: any number
  bool whole = false;  // numbers: no fractions
  /// A map of exactly these numbers is accepted, too ({fx, fy, cx, cy}); `numbers()` returns them.
  std::vector<std::string_view> fields{};
  /// Further texts that are accepted, and how they look in messages ("cuda:N").
  std::string_view form{};
  bool (*has_form)(std::string_view text) = nullptr;
  /// What is wrong with these numbers, as the end of a sentence; nullptr: nothing.
  const char* (*check)(std::span<const double> numbers) = nullptr;
};

/// Rows of one owner. A model's table holds its own `model.*` rows, and rows of the common table
/// again where its published default differs (only path and default_yaml count there).
struct KeyTable {
  std::string_view owner;  // "common", "contact_graspnet"
  std::span<const Key> keys;
  std::span<const Key> other_defaults{};
};

/// Keys of every model: input, postprocess, runtime, output, ... (spec: product, "Configuration").
const KeyTable& common_keys();

}  // namespace grasppanda::config
