// YAML text -> a plain tree with positions. The only file pair that knows yaml-cpp.
//
// yaml-cpp keeps duplicate keys silently, counts lines from 0 and expands aliases without a limit;
// here duplicates are problems, positions count from 1, and size, depth and number of nodes
// (aliases expanded) are bounded, so that no text costs more than a few milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/config_error.h"

namespace grasppanda::config {

struct YamlKey {
  std::string text;
  int line = 0, column = 0;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  std::string text;             // scalar
  bool plain = true;            // scalar: not quoted, not a block
  int line = 0, column = 0;     // from 1
  std::vector<YamlKey> keys;    // map: keys[i] belongs to items[i]; no key twice
  std::vector<YamlNode> items;  // sequence, map

  bool is_plain(std::string_view word) const {
    return kind == Kind::scalar && plain && text == word;
  }
  /// The value of a map's key, or nullptr.
  const YamlNode* find(std::string_view key) const;
};

inline constexpr std::size_t kMaxYamlBytes = 256 * 1024;
inline constexpr int kMaxYamlDepth = 32;
inline constexpr std::size_t kMaxYamlNodes = 20000;

/// The one document of `text` (empty text: a null node). What is wrong is appended to `problems`
/// under the name `source`; nothing is returned when the text cannot be read to its end.
std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& source,
                                   std::vector<Problem>& problems);

}  // namespace grasppanda::config
