#include "lib/config/write_yaml.h"

#include <algorithm>
#include <cctype>

#include "lib/config/config.h"
#include "lib/config/wanted.h"

namespace grasppanda::config {

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view hex = "0123456789abcdef";
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string quoted_if_needed(std::string_view text, const Key* key) {
  if (key != nullptr && std::find(key->words.begin(), key->words.end(), text) != key->words.end())
    return double_quoted(text);
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '/' || c == '.' || c == '-' || c == ':' ||
           c == ' ' || c >= 0x80;
  };
  const bool starts_well = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) ||
                                             text[0] == '/' || text[0] == '_');
  const bool colon = text.find(": ") != std::string_view::npos || text.ends_with(':');
  constexpr std::string_view meanings[] = {"null", "true", "false", "yes", "no", "on", "off"};
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool means_more =
      std::find(std::begin(meanings), std::end(meanings), lower) != std::end(meanings);
  if (starts_well && !colon && !means_more && !text.ends_with(' ') &&
      std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c); }))
    return std::string(text);
  return double_quoted(text);
}

namespace {

template <class Items, class ToText>
std::string list(const Items& items, ToText to_text) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() > 1 ? ", " : "") + to_text(item);
  return text + "]";
}

}  // namespace

std::string value_yaml(const Value& value) {
  if (value.is_word) return value.text;
  if (value.is_fields) {
    std::string map = "{";
    for (std::size_t i = 0; i < value.numbers.size(); ++i)
      map += (i == 0 ? "" : ", ") + std::string(value.key->fields[i]) + ": " +
             number_text(value.numbers[i]);
    return map + "}";
  }
  switch (value.type) {
    case Type::boolean:
      return value.boolean ? "true" : "false";
    case Type::integer:
      return std::to_string(value.integer);
    case Type::number:
      return number_text(value.number);
    case Type::text:
      return quoted_if_needed(value.text, value.key);
    case Type::path: {
      const std::filesystem::path file(value.text);
      const auto whole = file.is_absolute() ? file : std::filesystem::absolute(value.base / file);
      return quoted_if_needed(whole.lexically_normal().string(), value.key);
    }
    case Type::numbers:
      return list(value.numbers, number_text);
    case Type::texts:
      return list(value.texts, [](const std::string& text) { return quoted_if_needed(text); });
  }
  return "";
}

std::string Config::to_yaml(bool origins) const {
  std::string text;
  std::vector<std::string> open;  // sections that are written at the moment
  for (const std::string& path : order) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = path.find('.', begin);
      parts.push_back(path.substr(begin, end == std::string::npos ? end : end - begin));
    }
    std::size_t same = 0;
    while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same]) ++same;
    for (std::size_t level = same; level + 1 < parts.size(); ++level)
      text += std::string(2 * level, ' ') + parts[level] + ":\n";
    open.assign(parts.begin(), parts.end() - 1);
    std::string line =
        std::string(2 * open.size(), ' ') + parts.back() + ": " + value_yaml(value(path));
    if (origins) {
      constexpr std::size_t kCommentColumn = 48;
      line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
      line += "# " + value(path).origin;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace grasppanda::config
