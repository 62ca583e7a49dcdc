// A resolved configuration: every key of the table has a checked value and an origin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/config/config_error.h"
#include "lib/config/key_table.h"
#include "lib/config/value.h"

namespace grasppanda::config {

/// A later layer over the file: from --set, a flag, an environment variable.
struct Override {
  std::string path;    // "runtime.seed"
  std::string yaml;    // the value's text, parsed as YAML
  std::string origin;  // "--set", "--seed", "GRASPPANDA_OPS"
};

/// Typed access; asking for a key that is not in the tables, or as another type, is a
/// std::logic_error (a fault of ours): the file was checked as a whole before.
class Config {
 public:
  bool is(std::string_view path, std::string_view word) const;  // value is this bare word
  bool is_word(std::string_view path) const;                    // value is any of the key's words
  /// numbers, or the map form of a key that has one (`input.intrinsics`: {fx, fy, cx, cy}).
  bool has_numbers(std::string_view path) const;
  bool boolean(std::string_view path) const;
  std::int64_t integer(std::string_view path) const;
  double number(std::string_view path) const;
  std::string text(std::string_view path) const;
  std::vector<double> numbers(std::string_view path) const;
  std::vector<std::string> texts(std::string_view path) const;
  /// Relative to the config file when it stood there, to the working directory otherwise.
  std::filesystem::path file(std::string_view path) const;
  /// "default", "run.yaml:12", "--set", ...
  std::string origin(std::string_view path) const;
  bool has(std::string_view path) const;

  /// The whole configuration as YAML in table order; paths absolute, so that it runs again as it
  /// is. With `origins`, each line ends in a comment that says where its value came from.
  std::string to_yaml(bool origins) const;

  const Value& value(std::string_view path) const;

  std::map<std::string, std::shared_ptr<const Value>, std::less<>> values;  // filled by load
  std::vector<std::string> order;                                           // paths in table order
  std::filesystem::path source;
};

/// Reads `file`, lays `overrides` over it (later ones win), fills in defaults, checks everything.
/// `tables`: the common table and every model's; the model's own is chosen by `model.name`.
/// Throws ConfigError with every problem found, nearest valid key or word included.
Config load_config(const std::filesystem::path& file, std::span<const Override> overrides,
                   std::span<const KeyTable* const> tables);

/// The same from text; `source` names it in messages.
Config parse_config(std::string_view yaml, const std::string& source,
                    std::span<const Override> overrides, std::span<const KeyTable* const> tables);

}  // namespace grasppanda::config
