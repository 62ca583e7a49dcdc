#include "lib/config/check_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/config/config_error.h"
#include "lib/config/suggest.h"
#include "lib/config/wanted.h"

namespace grasppanda::config {

namespace {

using Kind = YamlNode::Kind;

bool in_range(const Key& key, double x) {
  return std::isfinite(x) && (key.min_exclusive ? x > key.min : x >= key.min) && x <= key.max;
}

std::string got(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return (node.plain ? "'" : "the text '") + printable(node.text) + "'";
    case Kind::sequence:
      return "a list of " + std::to_string(node.items.size());
    case Kind::map:
      return "a map";
  }
  return "";
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (const std::string_view yes : {"true", "True", "TRUE", "yes", "on"})
    if (text == yes) return true;
  for (const std::string_view no : {"false", "False", "FALSE", "no", "off"})
    if (text == no) return false;
  return std::nullopt;
}

class Check {
 public:
  Check(const Key& key, const YamlNode& node) : key_(key), node_(node) {
    value_.type = key.type;
    value_.key = &key;
  }

  std::variant<Value, std::string> result() {
    if (take_word() || take_fields()) return finish();
    if (!error_.empty()) return error_;
    switch (key_.type) {
      case Type::boolean:
        take_boolean();
        break;
      case Type::integer:
        take_integer();
        break;
      case Type::number:
        take_number(node_, value_.number);
        break;
      case Type::text:
      case Type::path:
        take_text();
        break;
      case Type::numbers:
        take_numbers();
        break;
      case Type::texts:
        take_texts();
        break;
    }
    return finish();
  }

 private:
  std::variant<Value, std::string> finish() {
    if (error_.empty() && key_.check != nullptr && !value_.numbers.empty())
      if (const char* wrong = key_.check(value_.numbers)) error_ = wrong;
    if (!error_.empty()) return error_;
    return std::move(value_);
  }

  void wrong() {
    error_ = "wants " + wanted(key_) + ", got " + got(node_);
    if (node_.kind == Kind::scalar) error_ += suggestion(node_.text);
  }

  std::string suggestion(const std::string& text) const {
    return text.size() < 2 ? std::string() : did_you_mean(text, key_.words);
  }

  void out_of_range(double x) {
    error_ = number_text(x) + " is out of range; wants " + wanted(key_);
  }

  bool take_word() {
    if (key_.only_words && key_.type == Type::texts) return false;
    std::string word;
    // A file may be called like a word; quotes say so. Elsewhere quotes make no difference.
    if (node_.kind == Kind::scalar && (node_.plain || key_.type != Type::path)) word = node_.text;
    if (node_.kind == Kind::null) word = "none";  // `key: null` and `key:` say what `none` says
    if (std::find(key_.words.begin(), key_.words.end(), word) == key_.words.end()) return false;
    value_.is_word = true;
    value_.text = word;
    return true;
  }

  bool take_fields() {
    if (node_.kind != Kind::map || key_.fields.empty()) return false;
    for (const std::string_view field : key_.fields) {
      const YamlNode* item = node_.find(field);
      double number = 0;
      if (item == nullptr) {
        error_ = "'" + std::string(field) + "' is missing";
        break;
      }
      if (!take_number(*item, number)) {
        error_ = std::string(field) + ": wants a number, got " + got(*item);
        return false;
      }
      value_.numbers.push_back(number);
    }
    if (error_.empty() && node_.keys.size() == key_.fields.size()) return value_.is_fields = true;
    for (const YamlKey& given : node_.keys)
      if (std::find(key_.fields.begin(), key_.fields.end(), given.text) == key_.fields.end())
        error_ = "wants " + wanted(key_) + ", got a map with '" + printable(given.text) + "'" +
                 did_you_mean(given.text, key_.fields);
    return false;
  }

  void take_boolean() {
    const auto parsed =
        node_.kind == Kind::scalar && node_.plain ? parse_boolean(node_.text) : std::nullopt;
    if (!parsed) return wrong();
    value_.boolean = *parsed;
  }

  void take_integer() {
    if (node_.kind != Kind::scalar || !node_.plain) return wrong();
    const auto parsed = parse_number<std::int64_t>(node_.text);
    if (!parsed) return wrong();
    value_.integer = *parsed;
    if (!in_range(key_, static_cast<double>(*parsed))) out_of_range(static_cast<double>(*parsed));
  }

  bool take_number(const YamlNode& node, double& number) {
    const auto parsed =
        node.kind == Kind::scalar && node.plain ? parse_number<double>(node.text) : std::nullopt;
    if (!parsed || !std::isfinite(*parsed)) {
      wrong();
      return false;
    }
    number = *parsed;
    if (!in_range(key_, number)) out_of_range(number);
    if (key_.whole && number != std::floor(number)) wrong();
    return error_.empty();
  }

  void take_text() {
    if (node_.kind != Kind::scalar || node_.text.empty()) return wrong();
    if (key_.only_words || (key_.has_form != nullptr && !key_.has_form(node_.text))) return wrong();
    value_.text = node_.text;
  }

  void take_numbers() {
    YamlNode list = node_;
    if (node_.kind == Kind::scalar && !unfold(list)) return wrong();
    const auto size = list.items.size();
    if (list.kind != Kind::sequence ||
        (key_.count > 0 && size != static_cast<std::size_t>(key_.count)))
      return wrong();
    for (const YamlNode& item : list.items) {
      double number = 0;
      if (!take_number(item, number)) {
        if (error_.starts_with("wants")) error_ = "wants " + wanted(key_) + "; one is " + got(item);
        return;
      }
      value_.numbers.push_back(number);
    }
  }

  /// `percentile [2, 98]` is one plain scalar to YAML; a word in front of the list may be there.
  bool unfold(YamlNode& list) const {
    for (const std::string_view word : key_.words) {
      if (!node_.plain || !node_.text.starts_with(std::string(word) + " [")) continue;
      std::vector<Problem> problems;
      auto parsed = parse_yaml(node_.text.substr(word.size() + 1), "", problems);
      if (!parsed || !problems.empty()) return false;
      list = std::move(*parsed);
      return true;
    }
    return false;
  }

  void take_texts() {
    if (node_.kind != Kind::sequence) return wrong();
    if (key_.count > 0 && node_.items.size() != static_cast<std::size_t>(key_.count))
      return wrong();
    for (const YamlNode& item : node_.items) {
      if (item.kind != Kind::scalar || item.text.empty()) {
        error_ = "wants " + wanted(key_) + "; one is " + got(item);
        return;
      }
      const bool known =
          std::find(key_.words.begin(), key_.words.end(), item.text) != key_.words.end();
      if (key_.only_words && !known) {
        error_ = "wants " + wanted(key_) + "; one is " + got(item) + suggestion(item.text);
        return;
      }
      if (std::find(value_.texts.begin(), value_.texts.end(), item.text) != value_.texts.end()) {
        error_ = "'" + printable(item.text) + "' is listed twice";
        return;
      }
      value_.texts.push_back(item.text);
    }
  }

  const Key& key_;
  const YamlNode& node_;
  Value value_;
  std::string error_;
};

}  // namespace

std::variant<Value, std::string> check_value(const Key& key, const YamlNode& node) {
  return Check(key, node).result();
}

}  // namespace grasppanda::config
